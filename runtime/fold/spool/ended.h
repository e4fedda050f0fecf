/*
 * Lists of the spools of children that have ended and left the writing of their profiles to the
 * parent.  A list lies beside the parent's spool and has the same name but for its ending.
 * preload/process/handover.c writes it.
 */
#ifndef RUNTIME_FOLD_SPOOL_ENDED_H
#define RUNTIME_FOLD_SPOOL_ENDED_H

/* Remove a list, so that nobody else takes it, and call `each` with every path on it.  A child that
 * adds to it from now on notices the removal.  A missing list counts as empty.  Returns 0, the
 * first error of `each`, or -errno. */
int ended_take(const char *list, int (*each)(const char *path, void *context), void *context);

#endif
