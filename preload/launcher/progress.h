/*
 * One line on a terminal while folding takes long; nothing where standard error is none.
 */
#ifndef PRELOAD_LAUNCHER_PROGRESS_H
#define PRELOAD_LAUNCHER_PROGRESS_H

#include <stddef.h>

/* From here a line appears after a second, and is kept current each second. */
void progress_start(void);

/* Say where we are: `done` of `all` spools. */
void progress_step(size_t done, size_t all);

/* All spools are read; names and files come next. */
void progress_write(void);

/* Take the line away. */
void progress_end(void);

#endif
