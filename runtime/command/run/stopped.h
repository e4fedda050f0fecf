/*
 * Stopped programs.  A signal that asks a program to end does nothing as long as the program is
 * stopped, and a shell that waits for a stopped child waits for ever.
 */
#ifndef RUNTIME_COMMAND_RUN_STOPPED_H
#define RUNTIME_COMMAND_RUN_STOPPED_H

#include <sys/types.h>

/* Continue a process if it is stopped, and those of its descendants that are stopped in our process
 * group.  Other groups are jobs of a shell, which the user has stopped. */
void stopped_continue(pid_t pid);

#endif
