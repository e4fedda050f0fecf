/*
 * What a user names to be read: files, and processes by their pids, as the paths of spools and
 * folded files.
 */
#ifndef RUNTIME_COMMAND_SPOOLS_SOURCES_H
#define RUNTIME_COMMAND_SPOOLS_SOURCES_H

#include <limits.h>
#include <stddef.h>

#include "runtime/command/base/processes.h"
#include "runtime/command/options/reading.h"

struct sources {
	char **path;
	size_t count;
	char name[NAME_MAX + 1]; /* of files to be made of the first operand, if that is a pid */
	unsigned *operand;	 /* by path: which of the operands it comes from */
	struct processes processes;
};

/* Resolve operands, which stay the caller's.  A number is a pid unless a file has that name.
 * Spools of commands that have nothing to do with each other are refused unless reading->merge:
 * neither of one executable, nor of one run, nor started one by the other.
 * Returns 0, or -errno after saying why; sources_close in both cases. */
int sources_open(struct sources *sources, const struct reading *reading, char **operands,
		 size_t count);
void sources_close(struct sources *sources);

#endif
