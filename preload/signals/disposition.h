/*
 * The target's view of our signal, kept apart from what is really installed.  The signal's action
 * is kept here; signal_mask.h keeps whether the target blocks it.  The target reads back what it
 * set, receives the signals that are meant for it, and is still sampled.
 */
#ifndef PRELOAD_SIGNALS_DISPOSITION_H
#define PRELOAD_SIGNALS_DISPOSITION_H

#include <signal.h>
#include <stdbool.h>

/* Learn the action and mask of `signal` that the program inherited.  Call before the handler is
 * installed.  Context: init. */
void disposition_start(int signal);

/* Make the target's view real, because nothing will be sampled.  Context: init. */
void disposition_stop(void);

/* True if `signal` is ours, which the target sees virtually.  Context: any. */
bool disposition_is_ours(int signal);

/* The number of our signal, or 0 if there is none.  Context: any. */
int disposition_signal(void);

/* sigaction(2) on our signal, applied to the target's view.  `by_number` means the system call,
 * whose caller supplies SA_RESTORER and the restorer.  Returns 0, or -1 with errno.  Context:
 * any. */
int disposition_action(const struct sigaction *action, struct sigaction *old, bool by_number);

/* Deliver to the target, as the kernel would, a signal that none of our counters sent.  Context:
 * signal. */
void disposition_foreign(int signal, siginfo_t *info, void *context);

/* Around fork(2), so that no other thread is in the middle of a change, which the child would
 * see half done forever.  Context: fork handlers, with all signals blocked. */
void disposition_fork_lock(void);
void disposition_fork_unlock(void);

/* A new image or process must inherit the target's view.  disposition_show() makes the mask
 * real, and also the action if the target ignores the signal.  disposition_hide() makes them
 * virtual again and keeps errno.  `shown` records what was made real.  Context: thread. */
struct disposition_shown {
	bool mask;
	bool action;
};
void disposition_show(struct disposition_shown *shown);
void disposition_hide(const struct disposition_shown *shown);

#endif
