/*
 * Distinguishes a file that an earlier run left from one that another process of this run wrote.
 */
#ifndef RUNTIME_COLLECT_STALE_OUTPUT_H
#define RUNTIME_COLLECT_STALE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct spool_header;

/* Call this after a profile was written to `path` instead of its stem's own name.  If the file
 * under the stem's name is older than the process, and no profiled process started this one (its
 * other children share the stem), the user may take the old file for the new one.  Then the
 * function returns true, with a message in `line`. */
bool stale_output_explain(const struct spool_header *header, const char *path, char *line,
			  size_t bytes);

#endif
