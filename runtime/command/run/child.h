/*
 * A program as our child: started with the state that the command itself was started with, signals
 * forwarded to it, and waited for.
 *
 * While programs run, signals are received with sigwaitinfo(), never by a handler, so nothing races
 * with fork or with the end of the child.  Signals from the terminal reach the program directly,
 * since it shares our process group.  Signals that a process sends only to us are forwarded.
 */
#ifndef RUNTIME_COMMAND_RUN_CHILD_H
#define RUNTIME_COMMAND_RUN_CHILD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

/* The signal state that the command was started with. */
struct child_signals {
	sigset_t mask;
	struct sigaction on_child;
	pid_t sender; /* forward only what this process sends; 0: any */
};

struct child_program {
	char *const *argv; /* argv[0] is looked up in PATH */
	char *const *environment;
	int input;  /* descriptor above 2 that becomes standard input; -1: ours */
	int output; /* likewise standard output */
};

struct child {
	pid_t pid;
	pid_t sender;	     /* as in struct child_signals */
	int status;	     /* as wait4(2) returned it */
	struct rusage usage; /* of the child and of the children it waited for */
	int ending;	     /* like the result of child_ending(), while it ran */
};

/* Block the signals that child_wait() receives.  Context: before the first child_start(). */
void child_hold(struct child_signals *signals);

/* Drop the signals that are still pending, and restore the state before child_hold(). */
void child_release(const struct child_signals *signals);

/* Take the signals that are pending.  Returns one that asks to end the command (SIGHUP, SIGINT,
 * SIGQUIT, SIGTERM) and is not ignored; 0 if there is none.  Context: after child_hold(), while no
 * child runs. */
int child_ending(void);

/* Like child_ending(), and forward those that a process sent only to us to a process of ours that
 * holds its signals too; 0: to none.  One that asks to end continues stopped programs below that
 * process. Context: as for child_ending(). */
int child_pass_on(pid_t to);

/* Returns a descriptor that is readable, for poll(2), while signals are pending; or -errno. */
int child_signal_fd(void);

/* Start a program.  Returns 0; or -errno of execvpe(), or -EAGAIN and the like if no child was
 * created; then *forked is false.  Context: after child_hold(). */
int child_start(struct child *child, const struct child_signals *signals,
		const struct child_program *program, bool *forked);

/* Wait for the end, and forward signals that a process sent only to us.  A signal that asks to end
 * continues the child if it is stopped.  Returns 0 or -errno. */
int child_wait(struct child *child);

/* Returns the CPU time of a child that was waited for. */
uint64_t child_cpu_ns(const struct child *child);

/* Returns the exit status by which a shell reports how the child ended: 128 plus the signal if one
 * killed it. */
int child_exit_status(const struct child *child);

#endif
