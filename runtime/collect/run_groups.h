/* Which of several files belong to one run of a program: a run leaves a spool for each process. */
#ifndef RUNTIME_COLLECT_RUN_GROUPS_H
#define RUNTIME_COLLECT_RUN_GROUPS_H

#include <stddef.h>

/* Order operands by run.  Spools are of one run if they say so (struct spool_header); if
 * their paths name its directory, or a run that flametrap ab kept; if one process started the other
 * or replaced its image; or if they have the same output and their processes ran at the same time.
 * Any other operand (a folded file, a PID) is a run by itself.  `operands` are sorted: those of
 * each run stand together, and runs in the order of their first operands. Returns 0 with the length
 * of each run in size[0] … size[*runs - 1], which has room for `count`; or -ENOMEM. */
int run_groups_order(char **operands, size_t count, size_t *size, size_t *runs);

/* Check whether the spools among these operands are of one run of one command: of one executable
 * and name, of one run (one directory of a run, one stem of files that a run kept, one output), or
 * one started by the other; and not of two runs of the command.  Operands of one of the `groups`
 * belong together.  Returns 0; -EINVAL after a message with two unrelated ones; or -ENOMEM. */
int run_groups_check(char *const *operands, const unsigned *groups, size_t count);

#endif
