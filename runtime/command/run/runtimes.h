/*
 * --runtimes: the options with which run-time compilers report the names of their code to a
 * profiler and keep frame pointers in it.
 */
#ifndef RUNTIME_COMMAND_RUN_RUNTIMES_H
#define RUNTIME_COMMAND_RUN_RUNTIMES_H

struct environment;

/* Append each missing option to its variable, after the existing ones, never in place of one.  An
 * option that the variable already contains, with any value, is left unchanged.  Returns 0 or
 * -ENOMEM. */
int runtimes_set(struct environment *environment);

#endif
