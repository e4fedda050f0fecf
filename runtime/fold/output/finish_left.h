/*
 * Finds the spools that processes left under known names: earlier images, and ended children.
 */
#ifndef RUNTIME_FOLD_OUTPUT_FINISH_LEFT_H
#define RUNTIME_FOLD_OUTPUT_FINISH_LEFT_H

#include <stdbool.h>

struct finish;

/* Add a spool and the spools that its process left under known names: those of images replaced by
 * exec, those on the list of its ended children, and those that these left.  `path` may be such a
 * list itself.  Returns 0 or -errno; failed() was called for each file that cannot be read. */
int finish_add_left(struct finish *finish, const char *path);

/* After finish_write(): add the spools that finish_add_left() found beyond the limit of open files.
 * Returns false if there were none; *err gets the first -errno, and failed() was called. */
bool finish_next(struct finish *finish, int *err);

#endif
