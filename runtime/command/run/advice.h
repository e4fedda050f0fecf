/*
 * Advice for a better profile, printed after the summary of a run: at most three lines, and only
 * for gaps with a relevant share.
 */
#ifndef RUNTIME_COMMAND_RUN_ADVICE_H
#define RUNTIME_COMMAND_RUN_ADVICE_H

#include <stdbool.h>

struct gaps;

/* Print the advice.  `runtimes`: run-time compilers were already asked for names. */
void advice_say(struct gaps *gaps, bool runtimes);

#endif
