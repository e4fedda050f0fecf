/* After the program has ended: turns its spools into files. */
#ifndef RUNTIME_COMMAND_RUN_COLLECT_H
#define RUNTIME_COMMAND_RUN_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/command/run/child.h"
#include "runtime/command/run/launch.h"

/* A run of a program. */
struct collect {
	const struct launch *launch;
	uint64_t start_ns;	/* since 1970 */
	const char *executable; /* base name of COMMAND */
	const struct child *child;
};

/* Make the stem from the output pattern.  Only the pid of the child need be set.  Returns 0; or
 * -errno with `line` filled. */
int collect_stem(const struct collect *collect, char *stem, size_t stem_bytes, char *line,
		 size_t bytes);

/* Read all spools, write the files, remove the spools, print the summary.  Errors are printed;
 * spools are removed only after their samples were written.  Returns whether COMMAND itself was
 * profiled, up to the end of the last program that it became by exec. */
bool collect_all(const struct collect *collect);

#endif
