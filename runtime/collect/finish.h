/*
 * The list of spools to finish: their output files are written as their headers say, then
 * the spools are removed.  Spools with one stem become one profile.
 */
#ifndef RUNTIME_COLLECT_FINISH_H
#define RUNTIME_COLLECT_FINISH_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/collect/collection.h"
#include "runtime/spool/format.h"

struct finish_item {
	char *path;
	int fd; /* locked */
	struct spool_header *header;
	const struct spool_header *owner; /* the spool of the process whose profile includes this
					   * one: see finish_write.c */
};

struct finish {
	struct collection_options options;
	struct finish_item *items;
	size_t count;
	size_t most;  /* limit of items at once: each is an open file */
	char **later; /* paths of the spools found beyond that limit */
	size_t later_count;
};

/* Returns NULL when memory is out.  Free with finish_free(). */
struct finish *finish_new(const struct collection_options *options);
void finish_free(struct finish *finish);

/* Add a spool to the list.  A spool that another flametrap is finishing, or has finished and
 * removed meanwhile, is left to that one.  Returns 0 or -errno; it was reported. */
int finish_add(struct finish *finish, const char *path);

/* Add a spool and the spools that its process left under known names: those of images replaced by
 * exec, those on the list of its ended children, and those that these left.  `path` may be such a
 * list itself.  Returns 0 or -errno; each file that cannot be read was reported. */
int finish_add_left(struct finish *finish, const char *path);

/* Write everything.  A spool is removed once its files are complete; otherwise it stays.  Returns
 * 0, or the first -errno; it was reported. */
int finish_write(struct finish *finish);

/* After finish_write(): add the spools that finish_add_left() found beyond the limit of open files.
 * Returns false if there were none; *err gets the first -errno, and it was reported. */
bool finish_next(struct finish *finish, int *err);

#endif
