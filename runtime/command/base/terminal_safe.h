/* Makes output for users safe for a terminal, whatever bytes the printed names hold. */
#ifndef RUNTIME_COMMAND_BASE_TERMINAL_SAFE_H
#define RUNTIME_COMMAND_BASE_TERMINAL_SAFE_H

/* From now on all output of stdio to standard output and standard error passes through
 * config/text/terminal.h.  When memory is out the streams stay unguarded. */
void terminal_safe_guard(void);

/* The following standard output is data, and is written unchanged unless it goes to a terminal. */
void terminal_safe_data(void);

#endif
