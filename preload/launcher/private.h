/*
 * The private directory of one run: PARENT/flametrap.XXXXXX, mode 0700, locked by the command
 * for as long as it lives, so that `flametrap recover` knows whose spools still have a reader.
 */
#ifndef PRELOAD_LAUNCHER_PRIVATE_H
#define PRELOAD_LAUNCHER_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

/* Make one in `parent`; `path` becomes its absolute path.  Returns a descriptor that holds the
 * lock (close-on-exec, to be kept open), or -errno with nothing left behind. */
int private_make(const char *parent, char *path, size_t bytes);

/* True if the command that made a directory still runs.  False for any other directory. */
bool private_in_use(const char *path);

/* True for the path of the caller's own private directory, by its name and mode. */
bool private_is(const char *path);

#endif
