/*
 * The program as our child: it starts with everything as we found it, and while it runs
 * signals meant for it reach it.
 */
#ifndef RUNTIME_COMMAND_RUN_CHILD_H
#define RUNTIME_COMMAND_RUN_CHILD_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	int status;		   /* as wait4 gave it */
	uint64_t cpu_ns;	   /* of the child and of the children it waited for */
	sigset_t mask;		   /* ours before child_start */
	struct sigaction on_child; /* likewise */
};

/* Start argv[0], looked up in PATH, with this environment.  From here to child_end signals are
 * held back from us.  Returns 0; or -errno: what execvpe said, or -EAGAIN and the like if there
 * was no child at all, then *forked is 0.  Context: a single thread. */
int child_start(struct child *child, char *const *argv, char *const *environment, int *forked);

/* Wait for the end, passing on the signals that somebody sent to us alone.  Returns 0 or -errno. */
int child_wait(struct child *child);

/* Let signals reach us again as before child_start. */
void child_end(struct child *child);

#endif
