/*
 * `flametrap finish`, which writes profiles.  The target runs it without being able to notice it.
 */
#ifndef PRELOAD_PROCESS_FINISHER_H
#define PRELOAD_PROCESS_FINISHER_H

#include <stdbool.h>

#define FINISHER_NOT_RUN 127
#define FINISHER_KILLED	 128 /* plus the signal's number */

/* Find the flametrap command: beside the library, or in ../bin.  Context: init. */
void finisher_find(void);

/* True if the command was found.  Context: any. */
bool finisher_is_there(void);

/* Have the command write the profiles of a spool or of a list of ended children, and of a second
 * one unless `second` is NULL.  Returns when that is done.  Call only if the command was found.
 * Returns its exit status, FINISHER_KILLED plus a signal, or FINISHER_NOT_RUN.  Context: thread,
 * sampling stopped. */
int finisher_run(const char *first, const char *second);

/* Execute the command in this process with nothing to write: it ends at once.  Returns if that
 * fails.  Context: a child of ours. */
void finisher_become(void);

#endif
