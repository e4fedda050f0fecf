/*
 * Adds one sample to the call tree and to the totals of its thread.
 */
#ifndef RUNTIME_SAMPLE_ACCOUNT_ACCOUNT_SAMPLE_H
#define RUNTIME_SAMPLE_ACCOUNT_ACCOUNT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/session/thread.h"

struct group_leader;
struct record;
struct stack_taken;

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
