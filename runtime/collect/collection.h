/*
 * The spools of one profile, on their way to its files: read, write, copy, remove.  spools.h finds
 * those of a run of the command, finish.h those of processes that run without it.
 */
#ifndef RUNTIME_COLLECT_COLLECTION_H
#define RUNTIME_COLLECT_COLLECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/spool/format.h"

struct output_request;
struct profile;

/* The differences between run, ab, finish and recover.  Functions may be NULL. */
struct collection_options {
	/* Called with one line for each error; NULL: it becomes a status line. */
	void (*failed)(const char *line, void *context);
	/* Called with the path of each file and of each copy of a spool. */
	void (*written)(const char *path, void *context);
	void (*copied)(const char *path, void *context);
	/* Called once with one line, if the requested name belongs to a file of an earlier run,
	 * which the user would take for the new one. */
	void (*moved)(const char *line, void *context);
	/* Called with a message about wrong names, see profile_options. */
	void (*warn)(const char *line);
	/* Each process gets its own profile, even if others have the same stem, in the order in
	 * which they ended. */
	bool apart;
	/* finish.h sets the next three. */
	bool all_or_none; /* a spool that cannot be read ends the work; otherwise it is left out */
	bool every_copy;  /* a copy that failed does not end the copying */
	bool with_lists;  /* remove the lists of ended children with their spools */
	void *context;
};

struct collection {
	const struct collection_options *options;
	const char **path; /* after collection_read() only those that were read */
	size_t count;
	size_t before, all; /* the spools read before these, and all of the command, for progress */
	size_t failed;	    /* spools that could not be read at all */
	bool running;	    /* a process goes on: all is written again when it has ended */
	/* The header of the first spool, and the open file; NULL if the command has seen the whole
	 * run, and knows its files. */
	const struct spool_header *leader;
	int leader_fd;
	bool moved; /* already reported */
};

/* Add all spools to a profile.  Returns 0; -errno of the first that could not be read, if all or
 * none are wanted; or -ENOMEM, which was not reported, if there is no memory for the timeline. */
int collection_read(struct collection *collection, struct profile *profile);

/* Write the files of a request, whose functions are set here.  Each complete file is noted in the
 * spools before it gets its name, so that it is not written a second time after a crash.  Returns 0
 * or -errno as output_write() does. */
int collection_write(struct collection *collection, struct profile *profile,
		     struct output_request *request, char *line, size_t bytes);

/* Copy the used part of each spool to STEM.PID.spool; or, if that name is taken (by an image before
 * exec, or by another run), to STEM.PID-N.spool.  It serves questions that folded stacks cannot
 * answer later (threads, modules, lines, ratios, lost samples).  The directory must exist.  A copy
 * that failed leaves no file.  Returns 0 or the first -errno, which was reported. */
int collection_copy(const struct collection *collection, const char *stem);

/* Remove the spools.  Those of a run stay while a process of it goes on: flametrap recover then
 * writes all of them. */
void collection_remove(const struct collection *collection);

/* Report an error to the caller. */
void collection_fail(const struct collection_options *options, const char *line);

#endif
