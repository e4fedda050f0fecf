/*
 * `flametrap finish`, which writes profiles, run by the target so that it cannot notice.
 */
#ifndef PRELOAD_PROCESS_WRITER_H
#define PRELOAD_PROCESS_WRITER_H

#include <stdbool.h>

#define WRITER_NOT_RUN 127
#define WRITER_KILLED  128 /* plus the signal's number */

/* Find the flametrap command: beside the library, or in ../bin.  Context: init. */
void writer_find(void);

/* Whether it was found.  Context: any. */
bool writer_is_there(void);

/* Have it write the profiles of a spool, or of what a list of ended children names, and of a second
 * unless that is NULL; returns when that is done.  Only if it was found.  Returns its exit status,
 * WRITER_KILLED and a signal, or WRITER_NOT_RUN.  Context: thread, sampling stopped. */
int writer_run(const char *first, const char *second);

/* Execute it in this process, with nothing to write: it ends at once.  Returns if that fails.
 * Context: a child of ours. */
void writer_become(void);

#endif
