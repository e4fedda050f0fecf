/*
 * Pauses a thread's counters: on its way into exec, and while the target has our signal blocked in
 * the kernel.  Signals of that number that are queued during the pause are sorted by sender.
 */
#ifndef RUNTIME_SAMPLE_LIFE_THREAD_PAUSE_H
#define RUNTIME_SAMPLE_LIFE_THREAD_PAUSE_H

#include <signal.h>

/* Pause: afterwards no overflow of the calling thread is in progress, and none is queued if our
 * signal is unblocked.  Resume: counters run as before.  Each pause needs its resume.  A pause also
 * stops counters that the target opened itself in this thread (prctl(2),
 * PR_TASK_PERF_EVENTS_DISABLE).  Context: thread, signal. */
void thread_pause(void);
void thread_resume(void);

/* Stop the counters that were just opened or enabled if the thread is paused.  Context: thread,
 * signal; our signal is blocked if the thread is paused. */
void thread_stay_paused(void);

/* Remove our signals from the calling thread's queue, while our signal is blocked; or send a signal
 * of the target again, to the thread or to the process.  Context: thread, signal. */
void thread_drop_queued(void);
void thread_queue_again(siginfo_t *info);

/* Like thread_drop_queued(), when the thread's counters were closed for good: what is still queued
 * left no record.  Context: thread, all signals blocked. */
void thread_drop_last(void);

/* Restore the sender's information for a signal of the target that was sent again with kill(2).
 * Other signals are left unchanged.  Context: thread, signal. */
void thread_info_of(siginfo_t *info);

#endif
