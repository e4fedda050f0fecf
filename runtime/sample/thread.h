/*
 * One record per sampled thread: its counters, its context tree, its signal stack.
 * Records are mapped once and used again for later threads; a record belongs to the thread
 * between thread_take (in the creator) and thread_end (in the thread).
 */
#ifndef RUNTIME_SAMPLE_THREAD_H
#define RUNTIME_SAMPLE_THREAD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/perf/governor.h"
#include "runtime/sample/perf/group.h"
#include "runtime/sample/signal_stack.h"
#include "runtime/sample/spool/thread_slot.h"
#include "runtime/sample/spool/tree.h"
#include "runtime/sample/switches.h"
#include "runtime/sample/unwind/unwind_walk.h"
#include "runtime/spool/format.h"

/* The user side of a sample: one walk, then any number of records. */
struct stack_taken {
	uint32_t node;
	bool overflowed;
	enum spool_count end; /* which count the way it ended adds to */
	bool guessed;
	uint64_t pc; /* where the thread was interrupted; 0: it was not */
};

#define THREAD_CALLER_BYTES 40 /* of a record, for the caller that took it */

/* What a forked child writes comes first, in one page: up to the first leader of its group. */
struct thread {
	struct thread *next_free; /* under the session's lock */
	struct thread *next_made; /* all records ever made: for the child of a fork */
	uint32_t forks;		  /* when it was made or taken; see thread_forget_others() */
	pid_t tid;
	_Atomic uint32_t busy;	     /* W: this thread's handler (refuses re-entry), thread_hold */
	struct unwind_stack stack;   /* the thread's own */
	_Atomic uint64_t stack_seen; /* of it: unwind.h */
	struct spool_thread *slot;   /* in the spool */
	int timer;		     /* rung 3, or in place of a clock (coarse); CLOCK_NO_TIMER */
	bool timer_paused;	     /* between thread_pause and thread_resume */
	bool timer_rang;	     /* or may have, before it was paused */
	pid_t disabled;		/* tid if the target did: prctl(2), PR_TASK_PERF_EVENTS_DISABLE */
	unsigned paused;	/* so many times */
	bool coarse;		/* a timer stands in for the clock: counters.h */
	unsigned timer_counter; /* what the timer samples, index into plan.events */
	uint64_t coarse_cpu_ns; /* CPU time up to which it was weighed */
	struct stack_taken coarse_last;
	bool coarse_counted; /* as one that was exchanged */
	struct switches switches;
	struct tree tree;
	struct signal_stack signal_stack;
	unsigned depth_max;
	uint64_t *pcs; /* room for depth_max */
	/* Self-restraint of the handler, see handler.c.  W, R: the handler. */
	uint64_t cost_ns;  /* moving average of its own time for full walks */
	uint64_t usual_ns; /* and for all turns */
	unsigned backoff;  /* one stack in 1 << backoff is walked */
	unsigned skipped;
	struct governor governor;
	_Alignas(8) char caller_data[THREAD_CALLER_BYTES]; /* never read here */
	bool is_main;					   /* its stack is the process's first */
	uint64_t turn_start_ns; /* of the handler, CLOCK_MONOTONIC; UINT64_MAX: it is not in it */
	uint64_t turn_end_ns;	/* of its last turn; both only where plan.faults */
	bool watching;		/* pending_watch.h looks after it.  Under the session's lock */
	_Atomic uint32_t watch_stale; /* W: pending_watch.c, any thread.  R: own handler */
	size_t stack_bytes;	      /* asked for; 0: unknown */
	uint64_t ended_sp; /* where a call ended that was to go on.  W, R: syscall_restart.c */
	uint64_t cut_sp;   /* where one ended that a sample may have cut short.  W, R: the same */
	struct group group;
	struct unwind_memo memo; /* the handler's */
	uint64_t scratch[RING_SCRATCH_BYTES / 8];
};

/* The calling thread's record; NULL if it is not sampled.  Initial-exec: a signal handler may
 * read it at any time. */
extern __thread struct thread *thread_self;

/* Get a record for a thread; NULL if none can be had.  The caller says by is_main and stack_bytes
 * what stack the thread has.  Context: thread. */
struct thread *thread_take(void);
void thread_give(struct thread *thread);

/* Give it back under the session's lock.  Context: thread. */
void thread_give_locked(struct thread *thread);

/* Add to a count of the thread.  Context: signal, or the thread's end. */
static inline void thread_count(struct thread *thread, enum spool_count which, uint64_t more)
{
	thread_slot_add(&thread->slot->count[which], more);
}

/* Put the calling thread's present name into its slot.  Context: signal, thread. */
void thread_note_name(struct thread *thread);

/* Keep a thread's handler and end away from its rings and tree; false if they are in them now.
 * Context: exit, or the thread's own. */
bool thread_hold(struct thread *thread);
void thread_release(struct thread *thread);

/* Page faults of the thread are ours from here on; they were up to now, and are no longer.  Only
 * where plan.faults.  Context: signal, thread. */
void thread_turn_begin(struct thread *thread);
void thread_turn_end(struct thread *thread);

/* Is it a fault of ours: in a turn of the handler, or on its stack?  Context: signal. */
bool thread_is_own_fault(const struct thread *thread, uint64_t address, uint64_t time_ns);

/* After session.stopping was set: until no other thread is in its handler, but for a second at
 * most (one may be stopped by a debugger).  Context: thread. */
void thread_wait_handlers(void);

/* All records of this process's threads, of now or ended; those without a slot are free.  Under the
 * session's lock, or when sampling has stopped. */
struct thread *thread_first(void);
struct thread *thread_next(const struct thread *thread);

/* In the child of a fork: only the calling thread is left.  The others' records are not written to
 * before they are taken. */
void thread_forget_others(void);

#endif
