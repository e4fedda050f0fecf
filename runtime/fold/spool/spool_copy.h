/*
 * A spool as a file of the profile: STEM.PID.spool, for questions that folded stacks cannot
 * answer later (threads, modules, lines, ratios, what was lost).
 */
#ifndef RUNTIME_FOLD_SPOOL_SPOOL_COPY_H
#define RUNTIME_FOLD_SPOOL_SPOOL_COPY_H

#include <stddef.h>

/* Copy what means anything of the spool at `path` to STEM.PID.spool, or where that is taken (an
 * image before exec, another run) STEM.PID-N.spool; its directory is there.  Returns 0 with the
 * name in `made`, or -errno with `line` naming the file and nothing left behind. */
int spool_copy_make(const char *path, const char *stem, char *made, size_t made_bytes, char *line,
		    size_t bytes);

#endif
