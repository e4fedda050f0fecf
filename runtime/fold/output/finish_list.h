/*
 * Spools that are to be finished: their output files are written as their headers ask
 * (finish_write.h), then they are removed.
 */
#ifndef RUNTIME_FOLD_OUTPUT_FINISH_LIST_H
#define RUNTIME_FOLD_OUTPUT_FINISH_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/spool/format.h"

struct finish_options {
	/* Told the path of each file that was written; may be NULL. */
	void (*written)(const char *path, void *context);
	/* Told each thing that went wrong, one line; may be NULL. */
	void (*failed)(const char *line, void *context);
	/* Told, once, that the name asked for belongs to a file of an earlier run, so that the
	 * user would take that for the new one; one line; may be NULL. */
	void (*moved)(const char *line, void *context);
	/* Each process has its profile by itself, also where others have the same stem, in the
	 * order in which they ended. */
	bool apart;
	/* Told which of how many spools is read next; may be NULL. */
	void (*step)(size_t done, size_t all);
	/* Told what spoils names, see profile_options; may be NULL. */
	void (*warn)(const char *line);
	void *context;
};

struct finish_item {
	char *path;
	int fd; /* locked */
	struct spool_header *header;
	const struct spool_header *owner; /* of whose profile it is a part: finish_write.c */
};

struct finish {
	struct finish_options options;
	struct finish_item *items;
	size_t count;
	size_t most;  /* items at once: each is an open file */
	char **later; /* paths of what was found past them */
	size_t later_count;
};

/* NULL when memory is out.  Free with finish_free. */
struct finish *finish_new(const struct finish_options *options);
void finish_free(struct finish *finish);

/* Take a spool on the list; one that another flametrap is finishing, or has finished and
 * removed meanwhile, is left to it.  Returns 0 or -errno; failed() was told. */
int finish_add(struct finish *finish, const char *path);

/* Take everything off the list. */
void finish_clear(struct finish *finish);

/* Tell the caller what went wrong. */
void finish_fail(const struct finish *finish, const char *line);

#endif
