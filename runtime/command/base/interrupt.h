/*
 * Signals that end us while files are written.
 */
#ifndef RUNTIME_COMMAND_BASE_INTERRUPT_H
#define RUNTIME_COMMAND_BASE_INTERRUPT_H

/* From here a signal from the terminal or a SIGTERM takes an unfinished file away before it ends
 * us, and says `line` (NULL: nothing; the text is copied) on standard error.  Signals that are
 * ignored stay so. */
void interrupt_expect(const char *line);

#endif
