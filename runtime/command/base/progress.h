/*
 * One line of progress on a terminal while folding takes long; nothing if standard error is no
 * terminal.
 */
#ifndef RUNTIME_COMMAND_BASE_PROGRESS_H
#define RUNTIME_COMMAND_BASE_PROGRESS_H

#include <stddef.h>

/* From here a line appears after a second, and is updated every second. */
void progress_start(void);

/* Record the progress: `done` of `all` spools. */
void progress_step(size_t done, size_t all);

/* Record that all spools are read, and that symbols and files come next. */
void progress_write(void);

/* Like progress_write(), before output to standard output: the line is removed if both are
 * terminals. */
void progress_print(void);

/* Remove the line before something is printed; it returns with the next second.  Context: any. */
void progress_clear(void);

/* Remove the line and stop. */
void progress_end(void);

#endif
