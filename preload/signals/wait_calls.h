/*
 * Waiting for our signal, for libc's functions and for calls by number.
 */
#ifndef PRELOAD_SIGNALS_WAIT_CALLS_H
#define PRELOAD_SIGNALS_WAIT_CALLS_H

#include <signal.h>
#include <time.h>

/* sigtimedwait(2) for a set that contains our signal.  If `time` is NULL there is no time limit.
 * `wait` is the real function.  Returns the signal's number, or -1 with errno.  Context: thread. */
typedef int (*wait_calls_wait)(const sigset_t *set, siginfo_t *info, const struct timespec *time);
int wait_calls_for(wait_calls_wait wait, const sigset_t *set, siginfo_t *info,
		   const struct timespec *time);

#endif
