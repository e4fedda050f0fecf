/*
 * Stores a spool as a file of the profile, STEM.PID.spool, for questions that folded stacks cannot
 * answer later (threads, modules, lines, ratios, lost samples).
 */
#ifndef RUNTIME_COLLECT_SPOOL_COPY_H
#define RUNTIME_COLLECT_SPOOL_COPY_H

#include <stdbool.h>
#include <stddef.h>

/* Copy the used part of each spool to STEM.PID.spool; or, if that name is taken (by an image before
 * exec, or by another run), to STEM.PID-N.spool.  The directory must exist.  told() is called for
 * each spool, with 0 and the name of its copy, or with -errno and a line naming the file; a copy
 * that failed leaves no file.  It returns whether to go on.  Returns 0 or the first -errno. */
int spool_copy_make(const char *const *paths, size_t count, const char *stem,
		    bool (*told)(int err, const char *text, void *context), void *context);

#endif
