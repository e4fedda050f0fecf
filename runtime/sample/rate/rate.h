/*
 * How often a thread is sampled, and how much of a sample is taken: the handler enters and leaves
 * here in each turn.
 */
#ifndef RUNTIME_SAMPLE_RATE_RATE_H
#define RUNTIME_SAMPLE_RATE_RATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct stack_taken;
struct thread;

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
