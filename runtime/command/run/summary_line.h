/* The lines at the end of a run. */
#ifndef RUNTIME_COMMAND_RUN_SUMMARY_LINE_H
#define RUNTIME_COMMAND_RUN_SUMMARY_LINE_H

#include <stdint.h>

struct profile;
struct spools;

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

#endif
