/*
 * Stores a spool as a file of the profile, STEM.PID.spool, for questions that folded stacks cannot
 * answer later (threads, modules, lines, ratios, lost samples).
 */
#ifndef RUNTIME_FOLD_SPOOL_SPOOL_COPY_H
#define RUNTIME_FOLD_SPOOL_SPOOL_COPY_H

#include <stddef.h>

/* Copy the used part of the spool at `path` to STEM.PID.spool; or, if that name is taken (by an
 * image before exec, or by another run), to STEM.PID-N.spool.  The directory must exist.  Returns 0
 * with the name in `made`, or -errno with `line` naming the file and no file left behind. */
int spool_copy_make(const char *path, const char *stem, char *made, size_t made_bytes, char *line,
		    size_t bytes);

#endif
