/*
 * Resolves the operands to read, files and pids of processes, to the paths of spools and folded
 * files, and reads them.
 */
#ifndef RUNTIME_COLLECT_SOURCES_H
#define RUNTIME_COLLECT_SOURCES_H

#include <limits.h>
#include <stddef.h>

#include "runtime/collect/processes.h"
#include "runtime/command/options/input_options.h"
#include "runtime/profile/input/input.h"

struct sources {
	char **path;
	size_t count;
	char name[NAME_MAX + 1]; /* name for files made from the first operand, if that is a pid */
	unsigned *operand;	 /* by path: the operand that it comes from */
	struct processes processes;
	struct input input; /* what was read */
};

/* Resolve operands, which stay the caller's.  A number is a pid unless a file has that name.
 * Unless reading->merge, spools of unrelated commands are refused: those of different executables
 * and different runs of which none started the other; and so are two runs of one command.  Then
 * input_open() reads all of them, and input_options_check() checks them.  Returns 0, or -errno
 * after a message; call sources_close() in both cases. */
int sources_open(struct sources *sources, const struct input_options *reading,
		 const struct profile_options *options, char **operands, size_t count);
void sources_close(struct sources *sources);

#endif
