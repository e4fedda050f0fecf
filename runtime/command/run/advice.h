/*
 * Advice for a better profile, printed after the summary of a run: at most three lines, and only
 * for gaps with a relevant share.
 */
#ifndef RUNTIME_COMMAND_RUN_ADVICE_H
#define RUNTIME_COMMAND_RUN_ADVICE_H

struct missing_symbols;
struct settings;

/* Print the advice for a run with these settings. */
void advice_say(struct missing_symbols *gaps, const struct settings *settings);

#endif
