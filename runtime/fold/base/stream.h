/*
 * Outputs that are written into because they cannot be replaced: a device such as /dev/null, a
 * FIFO, and descriptors by their names (/dev/stdout, /dev/fd/N).
 */
#ifndef RUNTIME_FOLD_BASE_STREAM_H
#define RUNTIME_FOLD_BASE_STREAM_H

#include <stdbool.h>
#include <stdio.h>

/* True for such an output, unless it is another user's: that one is not waited for, nor told
 * anything. */
bool stream_is(const char *path);

/* True for /dev/null, which takes any number of files. */
bool stream_is_null(const char *path);

/* Open one to be written to; a FIFO waits for its reader.  From now on a reader that goes is an
 * error (EPIPE) and no signal.  Returns 0 with *file, or -errno (-EBUSY: it is an ordinary file by
 * now, which must not be written over). */
int stream_open(const char *path, FILE **file);

#endif
