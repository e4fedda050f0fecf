/*
 * A run whose COMMAND itself was not profiled: that, and why, as far as it can be known.
 */
#ifndef PRELOAD_LAUNCHER_UNPROFILED_H
#define PRELOAD_LAUNCHER_UNPROFILED_H

#include <stddef.h>

struct summary;

/* Why COMMAND left no spool, in one clause. */
void unprofiled_reason(const struct summary *summary, char *reason, size_t bytes);

/* Say it where the samples are only those of other processes, or of programs that COMMAND was
 * before an exec. */
void unprofiled_say(const struct summary *summary);

#endif
