/*
 * The life of a sampled thread: its start, in a new thread or in a forked child, its pauses, and
 * its end.
 */
#ifndef RUNTIME_SAMPLE_LIFE_THREAD_LIFE_H
#define RUNTIME_SAMPLE_LIFE_THREAD_LIFE_H

#include <signal.h>

#include "runtime/spool/format.h"

struct settings;
struct session_libc;
struct thread;

/* Start sampling the calling thread with the record.  Signals are blocked during the call.  Returns
 * 0; or -errno with the record given back and the failure counted.  Context: thread. */
int thread_attach(struct thread *thread);

/* Attach the calling thread again after a fork, with the same record.  Returns 0 or -errno.
 * Context: fork child. */
int thread_reattach(void);

/* Stop sampling the calling thread and merge its tree with that of earlier threads of its name.
 * Context: thread, its last moments. */
void thread_end(void);

/* The calling thread, of a fork's child, is not sampled any more; its counters and its tree are the
 * parent's.  Its own signal stack is set again.  Signals are blocked.  Context: fork child. */
void thread_abandon(void);

/* Threads that end without thread_end(), because nothing tells us of their end: others close their
 * counters and add their trees to those of ended threads.  From now on a thread may end in this
 * way. Context: any. */
void thread_gone_expect(void);

/* Look at a few threads, which is enough if each creation of a thread does so: those that are gone
 * are no more than those that run.  Or look at all.  Context: thread; exit. */
void thread_gone_look(void);
void thread_gone_look_at_all(void);

/* A thread is paused on its way into exec, and while the target has our signal blocked in the
 * kernel. Afterwards no overflow of the calling thread is in progress, and none is queued if our
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

/*
 * The life of a session: preload/ starts it in the constructor, restarts it in the child of a fork
 * and stops it when the process ends.
 */

/* Start sampling this process and its calling (main) thread.  The caller has set
 * session.executable.  `output` is the resolved stem of the output files, absolute.  Returns 0; or
 * -errno with the process unchanged, after one line said why.  Context: init. */
int lifecycle_start(const struct settings *settings, const struct session_libc *libc,
		    const char *output);

/* Give the child of a fork its own spool and counters.  `output` is as above.  Returns 0 or -errno.
 * Context: fork child. */
int lifecycle_restart(const char *output);

/* Stop sampling in the child of a fork that is not followed.  Nothing that belongs to the parent is
 * changed.  Context: fork child. */
void lifecycle_abandon(void);

/* Stop sampling and complete the spool's header.  No sample is taken afterwards.  `state` says how
 * the image ended.  Context: any. */
void lifecycle_stop(enum spool_state state);

/* Continue sampling after lifecycle_stop(), because exec has failed with this errno.  Context:
 * thread. */
void lifecycle_resume(int err);

#endif
