/*
 * What is printed for a user to see: safe for a terminal, whatever names are in it.
 */
#ifndef RUNTIME_COMMAND_BASE_SHOWN_H
#define RUNTIME_COMMAND_BASE_SHOWN_H

/* From now on all that is printed to standard output and standard error by stdio passes
 * config/text/terminal.h.  Where memory is out they stay as they are. */
void shown_guard(void);

/* What follows on standard output is data, and passes as it is unless a terminal shows it. */
void shown_data(void);

#endif
