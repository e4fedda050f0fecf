/*
 * The source of a thread's samples: its counters, or a timer.  A timer is used if the counters are
 * refused, or if the thread is switched so often that its clock costs too much (switches.h).  Where
 * the clocks of many short threads cost too much, most begin without one (start_budget.c).
 */
#ifndef RUNTIME_SAMPLE_RATE_COUNTERS_H
#define RUNTIME_SAMPLE_RATE_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct stack_taken;
struct thread;

/* The clock of a thread's CPU time, for any thread, as include/linux/posix-timers.h numbers it.
 * Without such a thread in the process, it cannot be read (-EINVAL). */
#define COUNTERS_CLOCK_OF(tid) ((clockid_t)((~(unsigned)(tid) << 3) | 4 | 2))

/* Open and enable the counters or the timer of the calling thread.  All signals are blocked.
 * counters_open returns 0, or -errno with nothing left open.  Context: thread. */
int counters_open(struct thread *thread);
void counters_close(struct thread *thread);

/* Stop the timer around exec, and start it again.  No signal of the timer is queued after the
 * pause.  Context: thread. */
void counters_pause_timer(struct thread *thread);
void counters_resume_timer(struct thread *thread);

/* Exchange the clock of the calling thread for a timer if the thread is switched too often, and
 * exchange it back when it no longer is.  Counts continue.  `taken` is the stack of its last
 * sample.  Context: signal, end of the handler. */
void counters_adapt(struct thread *thread, const struct stack_taken *taken);

/* Account for a timer's signal, which has no record and counts as `periods` samples.  Context:
 * signal. */
void counters_periods(struct thread *thread, uint64_t periods, const struct stack_taken *taken);

/* Account for the CPU time since the last signal of a thread's timer, with the stack of its last
 * sample, or if this is long, as [no tick].  No signal of the timer follows.  Context: thread, its
 * end; exit, while the thread's handler is kept away (thread_hold). */
void counters_drain_timer(struct thread *thread);

/* The account of a clock: what it counted is the CPU time, and the part of it that lies in no stack
 * is `unsampled`.  Make what a thread's clocks have counted the CPU time that it has used: all of
 * `cpu_ns`, from its first instruction on, or for the process's first thread from our start on.  A
 * clock leaves out what the kernel needs to switch from the thread to others, up to a third of it
 * in threads that do little else; paused time has its share of what was left out.
 * _other asks for the time of a thread that may be another one.  Context: as above. */
void counters_count_rest(struct thread *thread, uint64_t cpu_ns);
void counters_count_other(struct thread *thread);

/* Add to the calling thread's clocks what the process has used beyond its threads: after their last
 * look at the clock, before they had a record, or without one.  `cpu_ns`: of the process.  Context:
 * exit. */
void counters_count_process(uint64_t cpu_ns);

/*
 * How often a thread is sampled, and how much of a sample is taken: the handler enters and leaves
 * here in each turn.
 */

/* One turn of the handler. */
struct rate_turn {
	bool first;	 /* the thread's pages and rules are cold */
	bool suspect;	 /* it is timed by the thread's own CPU clock */
	bool leaf;	 /* no stack is walked */
	clockid_t clock; /* that times it */
	uint64_t start_ns;
};

/* Begin a turn: choose its clock and read it.  Context: signal. */
void rate_enter(struct thread *thread, struct rate_turn *turn);

/* Account for the turn up to now and begin it again: the signal had two causes.  Context: signal.
 */
void rate_enter_again(struct thread *thread, struct rate_turn *turn);

/* The turn takes a sample: run the successor of a first period, and set turn->leaf.  Context:
 * signal, before the rings are read; reopen_first_end() follows when they were. */
void rate_begin(struct thread *thread, struct rate_turn *turn);

/* The last step of a turn: adapt to what it cost, and open counters again whose period has to
 * change.  Context: signal, after all records in the thread's rings were read. */
void rate_leave(struct thread *thread, const struct rate_turn *turn,
		const struct stack_taken *taken);

#endif
