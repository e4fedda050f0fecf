/* Brings a timeline into its order, and its times onto one axis. */
#ifndef RUNTIME_PROFILE_TIME_TIMELINE_SORT_H
#define RUNTIME_PROFILE_TIME_TIMELINE_SORT_H

#include <stdint.h>

#include "runtime/profile/time/timeline.h"

/* Add `later_ns`, modulo 2^64, to all times.  Times before 0 become 0, and no end lies before its
 * start. */
void timeline_sort_shift(struct timeline *timeline, uint64_t later_ns);

/* Find the processes that exec(2) began: each has the pid and the start of an earlier one.
 * `ticks` has the starts by process.  Returns 0 or -ENOMEM. */
int timeline_sort_execs(struct timeline *timeline, const uint64_t *ticks);

/* Sort samples and marks.  Samples of one track and time stay in the order in which they were
 * added.  Returns 0 or -ENOMEM. */
int timeline_sort(struct timeline *timeline);

/* Returns the last time of a process, a sample or a mark.  Both are sorted. */
uint64_t timeline_sort_end(const struct timeline *timeline);

#endif
