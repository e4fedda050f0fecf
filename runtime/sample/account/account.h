/*
 * Turns the kernel's records into samples and counts of a thread.  The handler calls it after it
 * has taken the user stack.
 */
#ifndef RUNTIME_SAMPLE_ACCOUNT_ACCOUNT_H
#define RUNTIME_SAMPLE_ACCOUNT_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct group_leader;
struct stack_taken;
struct thread;

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

#endif
