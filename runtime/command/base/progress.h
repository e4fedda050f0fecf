/*
 * One line on a terminal while folding takes long; nothing where standard error is none.
 */
#ifndef RUNTIME_COMMAND_BASE_PROGRESS_H
#define RUNTIME_COMMAND_BASE_PROGRESS_H

#include <stddef.h>

/* From here a line appears after a second, and is kept current each second. */
void progress_start(void);

/* Say where we are: `done` of `all` spools. */
void progress_step(size_t done, size_t all);

/* All spools are read; names and files come next. */
void progress_write(void);

/* The same where standard output follows: the line goes if both are terminals. */
void progress_print(void);

/* Take the line away for something that is printed; it comes back with the next second.
 * Context: any. */
void progress_clear(void);

/* Take the line away. */
void progress_end(void);

#endif
