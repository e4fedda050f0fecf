/*
 * What would make the answer better, said after the summary of a run: at most three lines, and
 * only where it matters.
 */
#ifndef RUNTIME_COMMAND_RUN_ADVICE_H
#define RUNTIME_COMMAND_RUN_ADVICE_H

#include <stdbool.h>

struct gaps;

/* Say it.  `runtimes`: run-time compilers were asked for names already. */
void advice_say(struct gaps *gaps, bool runtimes);

#endif
