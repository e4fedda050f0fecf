/*
 * Runs the program as our child.  It starts with the signal state that the command was started
 * with, and while it runs, signals meant for it reach it.
 */
#ifndef RUNTIME_COMMAND_RUN_CHILD_H
#define RUNTIME_COMMAND_RUN_CHILD_H

#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

struct child {
	pid_t pid;
	int status;		   /* as wait4(2) returned it */
	uint64_t cpu_ns;	   /* of the child and of the children it waited for */
	sigset_t mask;		   /* our mask before child_start() */
	struct sigaction on_child; /* our action before child_start() */
};

/* Start argv[0], looked up in PATH, with this environment.  From here to child_end() signals are
 * blocked for us.  Returns 0; or -errno of execvpe(), or -EAGAIN and the like if no child was
 * created; then *forked is 0.  Context: a single thread. */
int child_start(struct child *child, char *const *argv, char *const *environment, int *forked);

/* Wait for the end, and forward signals that a process sent only to us.  Returns 0 or -errno. */
int child_wait(struct child *child);

/* Unblock signals, as before child_start(). */
void child_end(struct child *child);

#endif
