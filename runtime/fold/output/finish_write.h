/*
 * Writes the profiles of the spools on a list.  Spools with one stem become one profile.
 */
#ifndef RUNTIME_FOLD_OUTPUT_FINISH_WRITE_H
#define RUNTIME_FOLD_OUTPUT_FINISH_WRITE_H

struct finish;

/* Write everything.  A spool is removed once its files are complete; otherwise it stays.  Returns
 * 0, or the first -errno; failed() was called. */
int finish_write(struct finish *finish);

#endif
