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
#include "runtime/sample/perf/switches.h"
#include "runtime/sample/session/signal_stack.h"
#include "runtime/sample/labels/labels.h"
#include "runtime/sample/log/log.h"
#include "runtime/sample/tree/thread_slot.h"
#include "runtime/sample/tree/tree.h"
#include "runtime/sample/unwind/unwind.h"
#include "runtime/spool/format.h"

/* The record in the lists of records.  Under the session's lock. */
struct thread_record {
	struct thread *next_free;
	struct thread *next_made; /* of all records ever made, for the child of a fork */
	uint32_t forks; /* number of forks when it was made or taken; see thread_forget_others() */
};

/* The thread's own stack. */
struct thread_stack {
	struct unwind_stack range;
	_Atomic uint64_t seen; /* lowest page of it found readable: cfi/unwind_range.h */
	size_t bytes;	       /* requested by the creator; 0: unknown */
};

/* The room for a walk of the stack. */
struct thread_walk {
	unsigned depth_max;
	uint64_t *pcs; /* room for depth_max */
	void *interp;  /* memory for interp_work_start(); NULL: interpreters are not asked */
};

/* W, R: the thread, life/thread_pause.c; `disabled` also preload/. */
struct thread_pause {
	pid_t disabled; /* tid after PR_TASK_PERF_EVENTS_DISABLE by the target (prctl(2)) */
	unsigned depth; /* number of pauses not yet resumed */
};

/* W, R: the thread, its handler: tracer.c. */
struct thread_tracer {
	bool is_there;	  /* its clocks rest */
	uint64_t look_ns; /* not before that, CLOCK_MONOTONIC */
	uint32_t doubts;  /* signals in a row that were late, or may have been */
};

/* W: pending_watch.c. */
struct thread_watch {
	bool joined;		/* its rings are updated.  Under the session's lock */
	_Atomic uint32_t stale; /* W: any thread.  R: own handler */
};

/* CLOCK_MONOTONIC, only if plan.faults. */
struct thread_turn {
	uint64_t start_ns; /* of the handler's turn, or UINT64_MAX */
	uint64_t end_ns;   /* of its last turn */
};

/* Stack pointers at system calls.  W, R: overflow/syscall_restart.c. */
struct thread_restart {
	uint64_t ended_sp; /* at a call that is to be repeated */
	uint64_t cut_sp;   /* at a possibly cut wait */
};

/* The timer on the thread's CPU time, which the kernel's tick checks: of the timer engine, or in
 * place of a clock (rate/counters.h).  W, R: the thread, its handler. */
struct tick_timer {
	int id;		   /* CLOCK_NO_TIMER: none */
	uint64_t rings_ns; /* not before this time of its clock */
	bool held;	   /* the thread begins paused: no timer before that */
	bool paused;	   /* between thread_pause and thread_resume */
	bool rang;	   /* it rang, or may have, before it was paused */
	unsigned counter;  /* the one that it samples, index into plan.events */
	bool replaces_clock;
	bool young;   /* the thread began without its clock, and is still young: start_budget.c */
	bool counted; /* as that of a thread whose clock was exchanged */
	/* If it replaces a clock: */
	uint64_t cpu_ns;	 /* CPU time up to the last weighed sample */
	struct stack_taken last; /* the stack of that sample */
};

/* How often the thread is sampled: runtime/sample/rate/.  The first members limit the handler's own
 * time: governor_backoff().  W, R: the handler. */
struct rate_state {
	uint64_t cost_ns;  /* moving average of the handler's time for full walks */
	uint64_t usual_ns; /* and for all turns of the handler */
	unsigned backoff;  /* one stack in 1 << backoff is walked */
	unsigned skipped;
	struct governor governor;
	struct switches switches;
};

/* Passed from the creator to the new thread.  W, R: preload/threads/thread_calls.c. */
struct thread_caller_start {
	void *function;
	void *argument;
	bool emulated; /* the creator's mask was emulated: signal_mask.h */
};

/* The arguments of prctl(2), PR_SET_SYSCALL_USER_DISPATCH.  W, R: signals/syscall_dispatch.c. */
struct thread_caller_dispatch {
	uint64_t mode;
	uint64_t offset, bytes; /* the range */
	const volatile char *selector;
	bool sampled; /* the thread was sampled before */
};

/* The part that preload/ uses.  A thread that starts and one that was taken out do not need it at
 * the same time. */
union thread_caller {
	struct thread_caller_start start;
	struct thread_caller_dispatch dispatch;
};

/* The members that a forked child writes come first, in one page: up to the first leader of its
 * group. */
struct thread {
	struct thread_record record;
	pid_t tid;
	_Atomic uint32_t busy; /* this thread's handler (against re-entry), thread_hold */
	struct thread_stack stack;
	struct spool_thread *slot; /* in the spool */
	struct tick_timer tick_timer;
	struct thread_pause pause;
	struct thread_tracer tracer;
	struct start_budget budget;
	struct rate_state rate;
	struct labels labels; /* what its samples carry */
	struct tree tree;
	struct log log; /* beside the tree, with the time */
	struct signal_stack signal_stack;
	struct thread_walk walk;
	uint64_t named;		/* samples when its name was last read */
	bool is_main;		/* its stack is the process's first */
	struct group_anew anew; /* in one turn; not on its stack, which may be the target's */
	union thread_caller caller;
	struct thread_turn turn;
	struct thread_watch watch;
	struct thread_restart restart;
	struct group group;
	/* Opened while there were rights to, and not running yet (successor.c); its leader is NULL:
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
 * stack.bytes, which describe the thread's stack.  thread_give returns an unused record.  Context:
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

#define TRACER_BEAT_NS 1000000000 /* CPU time between two samples of a thread that is traced */

/* tracer.c notices a tracer that attached to a running thread (strace -p, a crash handler).  The
 * thread stops for its tracer at each signal, and SIGTRAP is what tracers use themselves.  So its
 * clocks rest, with a heartbeat, until the tracer has left.  Only a sample that the tracer passes
 * on can notice it (docs/limits.md).  tracer_start: the thread is about to open its counters; looks
 * if another thread had a tracer.  Context: thread. */
void tracer_start(struct thread *thread);

/* A thread that switches often may be stopped by a tracer at each of its calls: look at the next
 * sample.  Context: thread, signal. */
void tracer_suspect(struct thread *thread);

/* Look for a tracer if so many signals came late that the thread may have one.  Afterwards the
 * clocks that have to rest, or to run again, are due (reopen.h).  Context: signal, after all
 * records in the thread's rings were read. */
void tracer_notice(struct thread *thread);

#endif
