/*
 * The events that take the place of a leader and its members, while the old ones still run.
 */
#ifndef RUNTIME_SAMPLE_RATE_SUCCESSOR_H
#define RUNTIME_SAMPLE_RATE_SUCCESSOR_H

#include <stdbool.h>
#include <stdint.h>

struct group_anew;
struct group_leader;
struct thread;

/* Open the events of a leader and its members once more, disabled, with the planned period or at
 * least `period`; map them; do both.  They return 0, or -errno with nothing left open.  Context:
 * thread, signal. */
int successor_open(struct group_anew *anew, const struct group_leader *leader, uint64_t period);
int successor_map(struct group_anew *anew);
int successor_open_mapped(struct group_anew *anew, const struct group_leader *leader,
			  uint64_t period);

/* Close the descriptors, which the mappings outlive.  Context: thread, signal. */
void successor_close_descriptors(struct group_anew *anew);

/* Open and map the successor of a leader now, which runs later: the rights to open it are about to
 * go.  If it cannot be opened, or one is prepared already, nothing happens.  Context: thread, all
 * signals blocked. */
void successor_prepare(struct thread *thread, struct group_leader *leader, uint64_t period);

/* Run the leader's prepared successor, in thread->anew.  Returns false if there is none.  Context:
 * signal. */
bool successor_run_prepared(struct thread *thread, const struct group_leader *leader);

/* Close the prepared successor, if there is one: the thread's events are about to be enabled or
 * closed.  Context: thread, signal. */
void successor_drop(struct thread *thread);

#endif
