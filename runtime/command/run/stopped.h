/*
 * Stopped programs.  A signal that asks a program to end does nothing as long as the program is
 * stopped, and a shell that waits for a stopped child waits for ever.
 */
#ifndef RUNTIME_COMMAND_RUN_STOPPED_H
#define RUNTIME_COMMAND_RUN_STOPPED_H

#include <sys/types.h>

#define STOPPED_MAX 256

struct stopped {
	unsigned count; /* of pids; more than STOPPED_MAX are left out */
	pid_t pids[STOPPED_MAX];
};

/* Add to `stopped`, empty at first, what is stopped of a program: the process pid, and those of its
 * descendants that are in our process group.  Other groups are jobs of a shell, which the user has
 * stopped.  To be called before the program is told to end, for a process that has ended has no
 * children. */
void stopped_find(struct stopped *stopped, pid_t pid);

/* Continue them. */
void stopped_continue(const struct stopped *stopped);

#endif
