/*
 * What processes left to be finished under known names: earlier images, and children that ended.
 */
#ifndef RUNTIME_FOLD_OUTPUT_FINISH_LEFT_H
#define RUNTIME_FOLD_OUTPUT_FINISH_LEFT_H

#include <stdbool.h>

struct finish;

/* Take a spool and what its process left for it under known names: spools of images that gave way
 * to others by exec, and the list of its children that have ended; and what these left.  `path` may
 * be such a list itself.  Returns 0 or -errno; failed() was told of what cannot be read. */
int finish_add_left(struct finish *finish, const char *path);

/* After finish_write: put on the list what finish_add_left found past the number of files that may
 * be open.  Returns false if there was nothing; *err gets the first -errno, failed() was told. */
bool finish_next(struct finish *finish, int *err);

#endif
