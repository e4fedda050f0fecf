/*
 * Children that have ended and left it to their parent to have their profiles written: a list of
 * their spools beside the parent's, called as that but for its ending.  preload/process/handover.c
 * writes it.
 */
#ifndef RUNTIME_FOLD_SPOOL_ENDED_H
#define RUNTIME_FOLD_SPOOL_ENDED_H

#include <stdbool.h>
#include <stddef.h>

/* True if a path is named like a list. */
bool ended_is_list(const char *path);

/* The list that belongs to a spool.  Returns 0, or -errno if there can be none. */
int ended_list_of(const char *spool, char *list, size_t bytes);

/* Take a list away, so that nobody else does, and tell each path on it; who adds to it from now
 * on notices.  One that is not there is empty.  Returns 0, the first error of `each`, or -errno. */
int ended_take(const char *list, int (*each)(const char *path, void *context), void *context);

#endif
