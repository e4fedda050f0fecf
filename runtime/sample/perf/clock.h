/*
 * Rung 3 of the ladder: a timer on the thread's own CPU clock, for where no counter opens.
 * Its rate is bound to the kernel's tick; overruns say how many periods one signal stands for.
 */
#ifndef RUNTIME_SAMPLE_PERF_CLOCK_H
#define RUNTIME_SAMPLE_PERF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#define CLOCK_NO_TIMER (-1)

/* Start a timer that signals the calling thread every period_ns of a CPU-time clock of its own,
 * with our cookie (timer_create(2), SIGEV_THREAD_ID).  *timer is the kernel's id.
 * Returns 0 or -errno.  Context: thread, signal. */
int clock_open(int *timer, int signal, clockid_t clock, uint64_t period_ns);

/* Delete it; *timer becomes CLOCK_NO_TIMER.  A signal may still be pending.  Context: thread,
 * signal. */
void clock_close(int *timer);

/* Does the kernel send a CPU timer's signal when the thread is about to return to user code, so
 * that no system call ends because of it (POSIX_CPU_TIMERS_TASK_WORK)?  clock_ARCH.c. */
bool clock_is_gentle(void);

#endif
