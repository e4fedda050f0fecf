/*
 * Waiting for our signal, for the calls of libc and those by number.
 */
#ifndef PRELOAD_SIGNALS_WAIT_CALLS_H
#define PRELOAD_SIGNALS_WAIT_CALLS_H

#include <signal.h>
#include <time.h>

/* sigtimedwait(2) for a set that has our signal; a NULL time is no limit.  `wait` is the real one.
 * Returns the signal's number, or -1 with errno.  Context: thread. */
typedef int (*wait_calls_wait)(const sigset_t *set, siginfo_t *info, const struct timespec *time);
int wait_calls_for(wait_calls_wait wait, const sigset_t *set, siginfo_t *info,
		   const struct timespec *time);

#endif
