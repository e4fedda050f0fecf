/*
 * The events that take the place of a leader and its members, while the old ones still run.
 */
#ifndef RUNTIME_SAMPLE_OVERFLOW_SUCCESSOR_H
#define RUNTIME_SAMPLE_OVERFLOW_SUCCESSOR_H

#include <stdint.h>

struct group_anew;
struct group_leader;

/* Open the events of a leader and its members once more, disabled, with the planned period or at
 * least `period`; map them; do both.  They return 0, or -errno with nothing left open.  Context:
 * thread, signal. */
int successor_open(struct group_anew *anew, const struct group_leader *leader, uint64_t period);
int successor_map(struct group_anew *anew);
int successor_open_mapped(struct group_anew *anew, const struct group_leader *leader,
			  uint64_t period);

/* Close the descriptors, which the mappings outlive; or the events.  Context: thread, signal. */
void successor_close_descriptors(struct group_anew *anew);
void successor_forget(struct group_anew *anew);

#endif
