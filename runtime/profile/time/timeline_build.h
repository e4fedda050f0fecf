/* Builds the timeline of a profile (timeline.h) from spools that were read with their logs. */
#ifndef RUNTIME_PROFILE_TIME_TIMELINE_BUILD_H
#define RUNTIME_PROFILE_TIME_TIMELINE_BUILD_H

#include <stdint.h>

#include "runtime/profile/time/timeline.h"

struct spool_read;
struct spool_read_thread;
struct string_table;

/* Where the samples of a thread are in the merged trees. */
struct timeline_places {
	const uint32_t *shown;	   /* by node of the log: the node below; NULL: the same */
	const uint32_t *nodes;	   /* by shown node: that of merge.calls */
	const uint32_t *locations; /* likewise: that of merge.locations */
	const uint32_t *counters;  /* by counter of the spool: the profile's */
};

/* `strings` must outlive the result.  Returns NULL when memory is out.  Free with timeline_free().
 */
struct timeline *timeline_new(struct string_table *strings);
void timeline_free(struct timeline *timeline);

/* Begin a spool.  `offset_ns` is that of timeline_axis_offset().  It must live until its threads
 * and marks were added.  All four return 0 or -ENOMEM. */
int timeline_begin(struct timeline *timeline, const struct spool_read *spool, uint64_t offset_ns);

/* Add a thread of that spool. */
int timeline_add_thread(struct timeline *timeline, const struct spool_read_thread *thread,
			const struct timeline_places *places);

/* Add the marks of its process.  Call it after the last thread. */
int timeline_end(struct timeline *timeline);

/* Sort what was added so far, and make its times relative to `zero_ns`, CLOCK_REALTIME.  Further
 * spools may follow.  `from_ns` and `to_ns` are the window (window.h). */
int timeline_settle(struct timeline *timeline, uint64_t zero_ns, uint64_t from_ns, uint64_t to_ns);

#endif
