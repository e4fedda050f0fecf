/*
 * Names that change because the user says so, or because the program has another name: different
 * names of two builds must not make all their stacks different.
 */
#ifndef RUNTIME_COMPARE_MATCH_MATCH_COMMANDS_H
#define RUNTIME_COMPARE_MATCH_MATCH_COMMANDS_H

#include <stdbool.h>

#include "runtime/compare/match/match_names.h"

/* Returns what a name of the side before is called after: by the user's renames, then by those of
 * commands.  *given is set for the former.  The match owns the text if it is another one.  NULL
 * when memory is out. */
const char *match_renamed(struct match *match, enum match_role role, const char *name, bool *given);

/* After outer names were decided: compare the commands with the largest totals among those that
 * only one side has as one, and keep the names of all commands that have two.  Returns 0 or
 * -ENOMEM. */
int match_commands(struct match *match);

#endif
