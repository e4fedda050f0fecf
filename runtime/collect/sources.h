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

/* Order operands by run: a run leaves a spool for each process.  Spools are of one run if they say
 * so (struct spool_header); if their paths name its directory, or a run that flametrap ab kept; if
 * one process started the other or replaced its image; or if they have the same output and their
 * processes ran at the same time. Any other operand (a folded file, a PID) is a run by itself.
 * `operands` are sorted: those of each run stand together, and runs in the order of their first
 * operands. Returns 0 with the length of each run in size[0] … size[*runs - 1], which has room for
 * `count`; or -ENOMEM. */
int run_groups_order(char **operands, size_t count, size_t *size, size_t *runs);

/* Check whether the spools among these operands are of one run of one command: of one executable
 * and name, of one run (one directory of a run, one stem of files that a run kept, one output), or
 * one started by the other; and not of two runs of the command.  Operands of one of the `groups`
 * belong together.  Returns 0; -EINVAL after a message with two unrelated ones; or -ENOMEM. */
int run_groups_check(char *const *operands, const unsigned *groups, size_t count);

#endif
