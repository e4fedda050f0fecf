/*
 * Turns the kernel's records into samples and counts of a thread.  The handler calls it after it
 * has taken the user stack.
 */
#ifndef RUNTIME_SAMPLE_ACCOUNT_ACCOUNT_H
#define RUNTIME_SAMPLE_ACCOUNT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/session/thread.h"

/* Read all records that wait in one leader's ring, or in the rings of all leaders.  `taken` is the
 * user stack of every sample.  Returns true if a sample was taken in the kernel.  Context: signal,
 * or the thread's end; account_drain also at exit, while the thread is held (thread_hold). */
bool account_drain(struct thread *thread, struct group_leader *leader,
		   const struct stack_taken *taken);
bool account_drain_all(struct thread *thread, const struct stack_taken *taken);

/* Read the records that still wait in a thread's rings, without a user stack, before its counters
 * are closed.  Context: thread. */
void account_drain_rest(struct thread *thread);

/* Weigh the time that the thread of an off-cpu leader was switched out until time_ns
 * (CLOCK_MONOTONIC).  Does nothing for other leaders, or if the thread was not switched out.
 * Context: as account_drain. */
void account_back(struct thread *thread, struct group_leader *leader, uint64_t time_ns);

/* Note that the thread's counters run and that it is on the processor.  Readers of the spool use
 * this while the thread waits.  Context: thread. */
void account_attached(struct thread *thread);

/* Account for a sample from a record of the leader, with the user stack `taken`.  The record's time
 * is in CLOCK_MONOTONIC; its counts of clocks are put right.  Context: signal, or the thread's end;
 * exit, while the thread is held. */
void account_sample(struct thread *thread, struct group_leader *leader, struct record *record,
		    const struct stack_taken *taken);

/* Account for what a leader in its first period counted between its last record and `until_ns`
 * (CLOCK_MONOTONIC), when it is replaced.  What filled its ring joins the last sample; the events
 * returned are left for the next.  They are 0 if the leader is no clock.  Context: signal, after
 * all records in its ring were read. */
uint64_t account_since(struct thread *thread, struct group_leader *leader, uint64_t until_ns);

/* Add to a node's weight, in the tree of the thread and in its log.  Context: as account_sample. */
static inline void account_weigh(struct thread *thread, const struct log_sample *sample)
{
	tree_weigh(&thread->tree, sample->node, sample->counter, sample->samples, sample->events);
	log_add(&thread->log, sample);
}

/* Account for a timer's signal, which has no record.  It counts as `periods` samples of `counter`
 * and as weight_ns of CPU time.  Returns false if samples are not wanted now: then only the time is
 * added to the totals.  Context: signal, exit. */
bool account_timed(struct thread *thread, unsigned counter, uint64_t periods, uint64_t weight_ns,
		   const struct stack_taken *taken);

#endif
