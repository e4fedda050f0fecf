/*
 * From the kernel's records to weights in the context tree: what the handler does once it has
 * the user stack.
 */
#ifndef RUNTIME_SAMPLE_ACCOUNT_H
#define RUNTIME_SAMPLE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/spool.h"

struct group_leader;
struct thread;

/* The user side of a sample: one walk, then any number of records. */
struct stack_taken {
	uint32_t node;
	bool overflowed;
	enum spool_count end; /* which count the way it ended adds to */
	bool guessed;
	uint64_t pc; /* where the thread was interrupted; 0: it was not */
};

/* Add to a count of the thread.  Context: signal, or the thread's end. */
void account_count(struct thread *thread, enum spool_count which, uint64_t more);

/* Take what waits in a leader's ring; the one user stack is right for every record.
 * Context: signal, or the thread's end. */
void account_drain(struct thread *thread, struct group_leader *leader,
		   const struct stack_taken *taken);

/* The thread of an off-cpu leader came back at time_ns, or is looked at then: weigh the time it
 * was away.  Does nothing for others, or if it was not away.  Context: as account_drain. */
void account_back(struct thread *thread, struct group_leader *leader, uint64_t time_ns);

/* The thread's counters run: note that it is on the processor, for who reads the spool while the
 * thread waits.  Context: thread. */
void account_attached(struct thread *thread);

/* A timer's signal, which has no record: it stands for so many periods of a counter, and for so
 * much CPU time.  False if samples are not wanted now: then only the time is counted. Context:
 * signal, exit. */
bool account_periods(struct thread *thread, unsigned counter, uint64_t periods, uint64_t weight_ns,
		     const struct stack_taken *taken);

#endif
