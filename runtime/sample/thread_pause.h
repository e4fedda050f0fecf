/*
 * A thread whose counters are stopped: on its way into exec, and while the target really blocks our
 * signal.  Signals of that number that are queued meanwhile are sorted by their sender.
 */
#ifndef RUNTIME_SAMPLE_THREAD_PAUSE_H
#define RUNTIME_SAMPLE_THREAD_PAUSE_H

#include <signal.h>

/* No overflow of the calling thread is under way after this, nor queued if our signal is open;
 * and again as before.  Each pause needs its resume.  Also stops counters that the target opened
 * itself in this thread (prctl(2), PR_TASK_PERF_EVENTS_DISABLE).  Context: thread, signal. */
void thread_pause(void);
void thread_resume(void);

/* Counters were opened: if the thread is paused, they stand still.  Context: thread, signals
 * blocked. */
void thread_stay_paused(void);

/* While our signal is blocked: take back what of ours is queued to the calling thread, or queue a
 * signal of the target's again, to the thread or the process.  Context: thread, signal. */
void thread_drop_queued(void);
void thread_queue_again(siginfo_t *info);

/* What the sender of a signal of the target's said, if it was queued again meanwhile. */
void thread_info_of(siginfo_t *info);

#endif
