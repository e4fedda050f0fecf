/*
 * A run whose COMMAND itself was not profiled: that, and why, as far as it can be known.
 */
#ifndef RUNTIME_COMMAND_RUN_UNPROFILED_H
#define RUNTIME_COMMAND_RUN_UNPROFILED_H

#include <stddef.h>

#include "runtime/command/spools/spools.h"

/* Write into `reason` (bytes long) why COMMAND left no spool, in one clause.  `command` is its
 * file, empty if it was not found; `main` is what there is of its process.  Context: any. */
void unprofiled_reason(const char *command, enum spools_main main, char *reason, size_t bytes);

/* Say it where the samples in `spools` are only those of other processes, or of programs that
 * COMMAND was before an exec.  `executable` is the base name of COMMAND.  Context: any. */
void unprofiled_say(const char *executable, const char *command, const struct spools *spools);

#endif
