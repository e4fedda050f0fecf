/*
 * Finishing spools: write the output files that their headers ask for, then remove them.
 * Spools with one stem become one profile.
 */
#ifndef RUNTIME_FOLD_FINISH_H
#define RUNTIME_FOLD_FINISH_H

#include <stddef.h>

struct finish;

struct finish_options {
	/* Told the path of each file that was written; may be NULL. */
	void (*written)(const char *path, void *context);
	/* Told each thing that went wrong, one line; may be NULL. */
	void (*failed)(const char *line, void *context);
	/* Told, once, that the name asked for belongs to a file of an earlier run, so that the
	 * user would take that for the new one; one line; may be NULL. */
	void (*moved)(const char *line, void *context);
	/* Told which of how many spools is read next; may be NULL. */
	void (*step)(size_t done, size_t all);
	/* Told what spoils names, see profile_options; may be NULL. */
	void (*warn)(const char *line);
	void *context;
};

/* NULL when memory is out.  Free with finish_free. */
struct finish *finish_new(const struct finish_options *options);
void finish_free(struct finish *finish);

/* Take a spool on the list; one that another flametrap is finishing, or has finished and
 * removed meanwhile, is left to it.  Returns 0 or -errno; failed() was told. */
int finish_add(struct finish *finish, const char *path);

/* Take those spools too that the processes on the list left in the same directory before they
 * gave way to another image by exec; and those that children of theirs left, who have ended since
 * as an image that left none (one that cannot be preloaded), and children of those.
 * Returns 0 or -errno. */
int finish_add_execed(struct finish *finish, const char *path);

/* Write everything.  A spool is removed once its files are complete, and stays otherwise.
 * Returns 0, or the first -errno; failed() was told. */
int finish_write(struct finish *finish);

#endif
