/* After the program has ended: turns its spools into files, and prints what was profiled. */
#ifndef RUNTIME_COMMAND_RUN_COLLECT_H
#define RUNTIME_COMMAND_RUN_COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runtime/command/run/launch.h"

struct missing_symbols;
struct profile;
struct settings;
struct spools;

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

struct summary_line {
	const struct profile *profile;
	const struct spools *spools;
	const char *command; /* file of COMMAND; empty if not found */
	int status;	     /* of the program, as wait4(2) returned it */
	uint64_t cpu_ns;     /* of the program and the children it waited for */
	const char *files;   /* " a.folded a.svg"; empty if none was written */
};

/* Print the summary: samples, engine, events, threads, processes, losses, overhead, files; and
 * without samples the reason. */
void summary_line_say(const struct summary_line *summary);

/* Report that COMMAND itself was not profiled, and why, if the samples in `spools` are only those
 * of other processes, or of programs that COMMAND was before an exec.  `executable` is the base
 * name of COMMAND, `command` its file, empty if not found.  Context: any. */
void summary_line_unprofiled(const char *executable, const char *command,
			     const struct spools *spools);

/* Print advice for a better profile after the summary of a run with these settings: at most three
 * lines, and only for gaps with a relevant share. */
void advice_say(struct missing_symbols *gaps, const struct settings *settings);

#endif
