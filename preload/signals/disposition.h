/*
 * The target's own view of our signal, kept apart from what is really installed: its action here,
 * and whether it is blocked in signal_mask.h.  The target reads back what it set, gets the signals
 * that are meant for it, and is still sampled.
 */
#ifndef PRELOAD_SIGNALS_DISPOSITION_H
#define PRELOAD_SIGNALS_DISPOSITION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Learn what the program inherited.  Call before the handler is
 * installed.  Context: init. */
void disposition_start(int signal);

/* Nothing is sampled after all: make the target's view real.  Context: init. */
void disposition_stop(void);

/* True if `signal` is the one whose view is virtual.  Context: any. */
bool disposition_is_ours(int signal);

/* Its number; 0: there is none.  Context: any. */
int disposition_signal(void);

/* sigaction(2) on our signal, virtually.  Returns 0, or -1 with errno.  Context: any. */
int disposition_action(const struct sigaction *action, struct sigaction *old);

/* The same by system call, which leaves it to the caller to say how a handler returns. */
int disposition_action_by_number(const struct sigaction *action, struct sigaction *old);

/* A signal that no counter of ours sent: give it to the target as the kernel would have.
 * Context: signal. */
void disposition_foreign(int signal, siginfo_t *info, void *context);

/* Around fork(2): no other thread is in the middle of a change that the child would see for
 * ever.  Context: fork handlers, with all signals blocked. */
void disposition_fork_lock(void);
void disposition_fork_unlock(void);

/* What a new image or process inherits must be the target's view: make mask and (if it ignores
 * the signal) action real, and virtual again afterwards.  Context: thread. */
struct disposition_shown {
	bool mask;
	bool action;
};
void disposition_show(struct disposition_shown *shown);
void disposition_hide(const struct disposition_shown *shown);

#endif
