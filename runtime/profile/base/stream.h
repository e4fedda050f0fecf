/*
 * Outputs that are written in place because they cannot be replaced: a device such as /dev/null, a
 * FIFO, and descriptors by their names (/dev/stdout, /dev/fd/N).
 */
#ifndef RUNTIME_PROFILE_BASE_STREAM_H
#define RUNTIME_PROFILE_BASE_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* Returns true for such an output, unless another user owns it: the command neither waits for such
 * an output nor writes to it. */
bool stream_is(const char *path);

/* Returns true for /dev/null, which accepts any number of files. */
bool stream_is_null(const char *path);

/* Open such an output for writing; opening a FIFO waits for its reader.  From now on a reader that
 * closes its end causes the error EPIPE and no signal.  Returns 0 with *file, or -errno (-EBUSY:
 * the path is an ordinary file by now, which must not be overwritten). */
int stream_open(const char *path, FILE **file);

#endif
