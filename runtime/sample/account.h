/*
 * From the kernel's records to the samples and counts of a thread: what the handler does once it
 * has the user stack.
 */
#ifndef RUNTIME_SAMPLE_ACCOUNT_H
#define RUNTIME_SAMPLE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct group_leader;
struct stack_taken;
struct thread;

/* Take what waits in a leader's ring, or in the rings of all; the one user stack is right for every
 * record.  True if a sample of it was taken in the kernel.  Context: signal, or the thread's end.
 */
bool account_drain(struct thread *thread, struct group_leader *leader,
		   const struct stack_taken *taken);
bool account_drain_all(struct thread *thread, const struct stack_taken *taken);

/* Take what still waits in a thread's rings, without a user stack: its counters are about to
 * be closed.  Context: thread. */
void account_drain_rest(struct thread *thread);

/* The thread of an off-cpu leader came back at time_ns, or is looked at then: weigh the time it
 * was away.  Does nothing for others, or if it was not away.  Context: as account_drain. */
void account_back(struct thread *thread, struct group_leader *leader, uint64_t time_ns);

/* Note that the thread's counters run and that it is on the processor, for readers of the spool
 * while the thread waits.  Context: thread. */
void account_attached(struct thread *thread);

#endif
