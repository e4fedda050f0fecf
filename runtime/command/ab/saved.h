/*
 * --save: the directory that keeps the spools of all runs that count.
 */
#ifndef RUNTIME_COMMAND_AB_SAVED_H
#define RUNTIME_COMMAND_AB_SAVED_H

#include <stddef.h>

#include "runtime/command/ab/ab_options.h"

/* Make the directory, if one is asked for and it does not exist.  One that holds spools of an
 * earlier comparison is refused: they would be taken for runs of this one.  Returns 0; or -errno
 * with `line` filled. */
int saved_prepare(const struct ab_options *options, char *line, size_t bytes);

/* Returns the stem of a run's spools, DIRECTORY/NAME; NULL if none are kept. */
const char *saved_stem(const struct ab_options *options, const char *name, char *stem,
		       size_t bytes);

/* Remove the spools of a run that does not count after all. */
void saved_forget(const struct ab_options *options, const char *name);

#endif
