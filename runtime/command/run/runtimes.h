/*
 * --runtimes: what run-time compilers need to be asked for before they tell a profiler the names
 * of their code and keep frame pointers in it.
 */
#ifndef RUNTIME_COMMAND_RUN_RUNTIMES_H
#define RUNTIME_COMMAND_RUN_RUNTIMES_H

struct environment;

/* Add each option that is missing to its variable: behind those that are there, never in place of
 * one.  An option that the variable names already, with whatever value, is left as it is.
 * Returns 0 or -ENOMEM. */
int runtimes_set(struct environment *environment);

#endif
