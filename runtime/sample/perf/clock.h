/*
 * The last rung of the ladder of engines: a timer on the thread's own CPU clock, used if no counter
 * opens.  The kernel's tick limits its rate.  The overrun count says how many periods one signal
 * stands for.
 */
#ifndef RUNTIME_SAMPLE_PERF_CLOCK_H
#define RUNTIME_SAMPLE_PERF_CLOCK_H

#include <stdint.h>
#include <time.h>

#define CLOCK_NO_TIMER (-1)

/* Starts a timer on `clock`, a CPU-time clock, that sends `signal` with our cookie to the
 * calling thread every period_ns (timer_create(2), SIGEV_THREAD_ID), for the first time after
 * first_ns.  *timer receives the kernel's id, and *rings_ns the clock's time until which no signal
 * is sent.  Returns 0 or -errno; -EAGAIN if a quarter of the user's queue of
 * signals is in use.  Context: thread, signal. */
int clock_open(int *timer, uint64_t *rings_ns, int signal, clockid_t clock, uint64_t first_ns,
	       uint64_t period_ns);

/* Deletes the timer and sets *timer to CLOCK_NO_TIMER.  A signal may still be pending.  Context:
 * thread, signal. */
void clock_close(int *timer);

/* The child of a fork has none of its parent's timers.  Context: fork child. */
void clock_forget_all(void);

#endif
