/*
 * One record per sampled thread: its counters, its call tree, its signal stack.  Records are mapped
 * once and reused for later threads.  A record belongs to the thread from thread_take (in the
 * creator) to thread_end (in the thread).
 */
#ifndef RUNTIME_SAMPLE_SESSION_THREAD_H
#define RUNTIME_SAMPLE_SESSION_THREAD_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/perf/governor.h"
#include "runtime/sample/perf/group.h"
#include "runtime/sample/session/signal_stack.h"
#include "runtime/sample/labels/labels.h"
#include "runtime/sample/log/log.h"
#include "runtime/sample/tree/thread_slot.h"
#include "runtime/sample/tree/tree.h"
#include "runtime/sample/perf/switches.h"
#include "runtime/sample/unwind/unwind_walk.h"
#include "runtime/spool/format.h"

/* The user stack of a sample.  One walk serves any number of records. */
struct stack_taken {
	uint32_t node;
	bool overflowed;
	enum spool_count end; /* the count to increase for the way the walk ended */
	bool guessed;
	uint64_t pc; /* where the thread was interrupted; 0: not interrupted */
};

#define THREAD_CALLER_BYTES 40 /* bytes of a record for preload/ */

/* The members that a forked child writes come first, in one page: up to the first leader of its
 * group. */
struct thread {
	struct thread *next_free; /* under the session's lock */
	struct thread *next_made; /* list of all records ever made, for the child of a fork */
	uint32_t forks; /* number of forks when it was made or taken; see thread_forget_others() */
	pid_t tid;
	_Atomic uint32_t busy;	     /* this thread's handler (against re-entry), thread_hold */
	struct unwind_stack stack;   /* the thread's own stack */
	_Atomic uint64_t stack_seen; /* lowest page of it found readable: cfi/unwind_range.h */
	struct spool_thread *slot;   /* in the spool */
	int timer; /* of the timer engine, or in place of a clock (coarse); CLOCK_NO_TIMER */
	uint64_t timer_rings_ns; /* not before this time of its clock */
	bool timer_held;	 /* it begins paused: no timer before that */
	bool timer_paused;	 /* between thread_pause and thread_resume */
	bool timer_rang;	 /* the timer rang, or may have, before it was paused */
	pid_t disabled;		/* tid after PR_TASK_PERF_EVENTS_DISABLE by the target (prctl(2)) */
	unsigned paused;	/* number of pauses not yet resumed */
	bool coarse;		/* a timer replaces the clock: counters.h */
	unsigned timer_counter; /* the counter that the timer samples, index into plan.events */
	bool traced;		/* its clocks rest: tracer.h */
	uint64_t tracer_look_ns; /* not before that, CLOCK_MONOTONIC */
	uint32_t tracer_doubts;	 /* signals in a row that were late, or may have been */
	uint64_t coarse_cpu_ns;	 /* CPU time up to the last weighed sample */
	/* It began without its clock, and is still young: start_budget.h */
	bool coarse_young;
	/* As many threads as samples of its clock stand for, itself and others, while it is young
	 */
	uint32_t stands_for;
	/* CPU time when its counters began, if they count the kernel's side */
	uint64_t armed_cpu_ns;
	struct stack_taken coarse_last;
	bool coarse_counted; /* counted as a thread whose clock was exchanged */
	struct switches switches;
	struct labels labels; /* what its samples carry */
	struct tree tree;
	struct log log; /* beside the tree, with the time */
	struct signal_stack signal_stack;
	unsigned depth_max;
	uint64_t *pcs; /* room for depth_max */
	void *interp;  /* memory for interp_work_start(); NULL: interpreters are not asked */
	/* Limits the handler's own time, see handler.c.  W, R: the handler. */
	uint64_t cost_ns;  /* moving average of the handler's time for full walks */
	uint64_t usual_ns; /* and for all turns of the handler */
	unsigned backoff;  /* one stack in 1 << backoff is walked */
	unsigned skipped;
	uint64_t named; /* samples when its name was last read */
	struct governor governor;
	struct group_anew anew; /* in one turn; not on its stack, which may be the target's */
	_Alignas(8) char caller_data[THREAD_CALLER_BYTES]; /* used by preload/ only */
	bool is_main;					   /* its stack is the process's first */
	uint64_t turn_start_ns; /* start of the handler's turn, or UINT64_MAX; CLOCK_MONOTONIC */
	uint64_t turn_end_ns;	/* end of its last turn; both only if plan.faults */
	bool watching;		/* pending_watch.h updates its rings.  Under the session's lock */
	_Atomic uint32_t watch_stale; /* W: pending_watch.c, any thread.  R: own handler */
	size_t stack_bytes;	      /* requested by the creator; 0: unknown */
	uint64_t ended_sp; /* SP at a call that is to be repeated.  W, R: syscall_restart.c */
	uint64_t cut_sp;   /* SP at a possibly cut wait.  W, R: syscall_restart_ring.c */
	struct group group;
	/* Opened while there were rights to, and not running yet (successor.h); its leader is NULL:
	 * none.  W, R: the thread, its handler */
	struct group_anew prepared;
	struct unwind_memo memo; /* the handler's */
	uint64_t scratch[RING_SCRATCH_BYTES / 8];
};

/* The calling thread's record; NULL if it is not sampled, whatever its thread pointer is.
 * Initial-exec: a signal handler may read it at any time.  Assign only in a thread of libc's. */
struct thread **thread_self_place(void);
#define thread_self (*thread_self_place())

/* Get a record for a thread; NULL if none is available.  The caller then sets is_main and
 * stack_bytes, which describe the thread's stack.  thread_give returns an unused record.  Context:
 * thread. */
struct thread *thread_take(void);
void thread_give(struct thread *thread);

/* Like thread_give(), while the caller holds the session's lock.  Context: thread. */
void thread_give_locked(struct thread *thread);

/* Add to a count of the thread.  Context: signal, or the thread's end. */
static inline void thread_count(struct thread *thread, enum spool_count which, uint64_t more)
{
	spool_alloc_add(&thread->slot->count[which], more);
}

/* Store the calling thread's current name in its slot.  Context: signal, thread. */
void thread_note_name(struct thread *thread);

/* Note that a thread of this process does without these counters (bit n: counter n), for -errno.
 * Context: thread, signal. */
void thread_lacks(struct thread *thread, uint32_t counters, int err);

/* Keep a thread's handler and end away from its rings and tree.  Returns false if one of them uses
 * these now.  Context: exit, or the thread's own. */
bool thread_hold(struct thread *thread);
void thread_release(struct thread *thread);

/* Mark the start and the end of a turn of the handler.  Page faults of the thread in between are
 * the profiler's.  Only if plan.faults.  Context: signal, thread. */
void thread_turn_begin(struct thread *thread);
void thread_turn_end(struct thread *thread);

/* Returns true if a page fault is the profiler's: it happened in a turn of the handler, or on the
 * handler's stack.  `time_ns` is in CLOCK_MONOTONIC.  Context: signal. */
bool thread_is_own_fault(const struct thread *thread, uint64_t address, uint64_t time_ns);

/* Wait until no other thread is in its handler, for at most one second, because a debugger may have
 * stopped a thread.  Call it after session.stopping is set.  Context: thread. */
void thread_wait_handlers(void);

/* Iterate over the records of all threads of this process, running or ended.  Records without a
 * slot are free.  Under the session's lock, or after sampling has stopped. */
struct thread *thread_first(void);
struct thread *thread_next(const struct thread *thread);

/* Forget the records of other threads in the child of a fork, which has only the calling thread.  A
 * record is not written to before it is taken again. */
void thread_forget_others(void);

#endif
