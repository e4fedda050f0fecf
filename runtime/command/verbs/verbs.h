/*
 * The verbs of the flametrap command, from the rows of manual_tables.h.  Each takes its own
 * arguments (argv[0] is the verb) and returns the exit status: 0, 1 for a failure, 2 for wrong
 * usage, or what its manual says.
 */
#ifndef RUNTIME_COMMAND_VERBS_VERBS_H
#define RUNTIME_COMMAND_VERBS_VERBS_H

#include "runtime/command/options/manual_tables.h"

#define VERBS_FUNCTION(name) int verb_##name(int argc, char **argv);
VERBS(VERBS_FUNCTION)
VERBS_INTERNAL(VERBS_FUNCTION)

#endif
