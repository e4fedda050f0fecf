/*
 * Reports that COMMAND itself was not profiled, and why, as far as it can be determined.
 */
#ifndef RUNTIME_COMMAND_RUN_UNPROFILED_H
#define RUNTIME_COMMAND_RUN_UNPROFILED_H

#include <stddef.h>

#include "runtime/command/spools/spools.h"

/* Write into `reason` (`bytes` long) why COMMAND left no spool, in one clause.  `command` is its
 * file, empty if not found; `main` says which spools its process left.  Context: any. */
void unprofiled_reason(const char *command, enum spools_main main, char *reason, size_t bytes);

/* Report this if the samples in `spools` are only those of other processes, or of programs that
 * COMMAND was before an exec.  `executable` is the base name of COMMAND.  Context: any. */
void unprofiled_say(const char *executable, const char *command, const struct spools *spools);

#endif
