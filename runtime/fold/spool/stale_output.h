/*
 * Telling a file left by an earlier run from one that another process of this run wrote.
 */
#ifndef RUNTIME_FOLD_SPOOL_STALE_OUTPUT_H
#define RUNTIME_FOLD_SPOOL_STALE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct spool_header;

/* A profile was written to `path` instead of its stem's own name.  If the file there is older
 * than the process, and no profiled process started this one (whose other children share the
 * stem by right), the user may take the old file for the new: then say so in `line`. */
bool stale_output_explain(const struct spool_header *header, const char *path, char *line,
			  size_t bytes);

#endif
