/*
 * A process of ours that runs the commands.
 *
 * What a process had in memory before exec belongs to its greatest resident size (getrusage(2)),
 * and a child made by vfork has all that we have: stacks, names and debug information, more than
 * many programs need.  So a process that is made before any of that runs them, and tells us.
 */
#ifndef RUNTIME_COMMAND_AB_STARTER_H
#define RUNTIME_COMMAND_AB_STARTER_H

#include <stddef.h>
#include <sys/types.h>

#include "runtime/command/ab/ab_options.h"
#include "runtime/command/ab/variant.h"

struct starter {
	pid_t pid;
	int socket;  /* requests there, answers back */
	int signals; /* readable while child_pass_on() has something to do */
};

/* Make the process; it ends with starter_end(), or when we end.  Returns 0 or -errno.  Context:
 * after child_hold() and variant_prepare() of both variants, with little memory in use. */
int starter_make(struct starter *starter, const struct ab_options *options,
		 struct variant *variants, const struct child_signals *signals);

/* variant_run() of this variant in that process: its result, with launch.spool of the variant
 * updated. -ECHILD, with `line` filled, if the process is gone.  Call variant_end() in any case. */
int starter_run(const struct starter *starter, struct variant *variants, enum runs_side which,
		struct variant_run *run, char *line, size_t bytes);

void starter_end(const struct starter *starter);

#endif
