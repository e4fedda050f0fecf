/*
 * One sample: its weight in the context tree and in the thread's totals.
 */
#ifndef RUNTIME_SAMPLE_ACCOUNT_SAMPLE_H
#define RUNTIME_SAMPLE_ACCOUNT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

struct group_leader;
struct record;
struct stack_taken;
struct thread;

/* A leader's record of a sample; its time is that of CLOCK_MONOTONIC.  Context: signal, or the
 * thread's end. */
void account_sample(struct thread *thread, struct group_leader *leader, const struct record *record,
		    const struct stack_taken *taken);

/* A timer's signal, which has no record: it stands for so many periods of a counter, and for so
 * much CPU time.  False if samples are not wanted now: then only the time is counted. Context:
 * signal, exit. */
bool account_timed(struct thread *thread, unsigned counter, uint64_t periods, uint64_t weight_ns,
		   const struct stack_taken *taken);

#endif
