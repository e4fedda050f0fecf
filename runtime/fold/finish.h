/*
 * Finishing spools: write the output files that their headers ask for, then remove them.
 * Spools with one stem become one profile.
 */
#ifndef RUNTIME_FOLD_FINISH_H
#define RUNTIME_FOLD_FINISH_H

#include <stdbool.h>
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
	/* Each process has its profile by itself, also where others have the same stem, in the
	 * order in which they ended. */
	bool apart;
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

/* Take a spool and what its process left for it under known names: spools of images that gave way
 * to others by exec, and the list of its children that have ended; and what these left.  `path` may
 * be such a list itself.  Returns 0 or -errno; failed() was told of what cannot be read. */
int finish_add_left(struct finish *finish, const char *path);

/* After finish_write: put on the list what finish_add_left found past the number of files that may
 * be open.  Returns false if there was nothing; *err gets the first -errno, failed() was told. */
bool finish_next(struct finish *finish, int *err);

/* Write everything.  A spool is removed once its files are complete, and stays otherwise.
 * Returns 0, or the first -errno; failed() was told. */
int finish_write(struct finish *finish);

#endif
