/*
 * The samples that a page has: those of a profile's timeline, or for a profile without times its
 * stacks, all at one moment.
 */
#ifndef RUNTIME_OUTPUT_PAGE_VIEWER_SAMPLES_H
#define RUNTIME_OUTPUT_PAGE_VIEWER_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/profile/time/timeline.h"
#include "runtime/spool/format.h"

#define VIEWER_NO_COUNTER UINT8_MAX

struct profile;

struct viewer_samples {
	const struct profile *profile;
	const struct timeline *timeline; /* `moment` for a profile without times */
	struct timeline moment;
	struct timeline_process nobody; /* of `moment`, like the next */
	struct timeline_track nowhere;
	const struct timeline_sample *list; /* includes some that the page does not have */
	size_t listed;
	struct timeline_sample *own; /* the list, unless it is the timeline's */
	size_t count;		     /* of those that the page has */
	uint8_t *number;	     /* of a counter in the page, by its number in the profile */
	unsigned counter[SPOOL_COUNTERS_MAX]; /* in the profile, by its number in the page */
	unsigned counters;
	uint32_t timeless; /* track of the samples without a time; TIMELINE_NONE: there are none */
	uint64_t joined;   /* samples that viewer_samples_halve() joined with others */
};

/* `timeline` may be NULL.  Both arguments must outlive the result.  Returns 0 or -ENOMEM.  Call
 * viewer_samples_free() in both cases. */
int viewer_samples_make(struct viewer_samples *samples, const struct profile *profile,
			const struct timeline *timeline);
void viewer_samples_free(struct viewer_samples *samples);

/* Returns the first sample that the page has after `sample`, or the first one for NULL.  NULL after
 * the last. */
const struct timeline_sample *viewer_samples_next(const struct viewer_samples *samples,
						  const struct timeline_sample *sample);

/* Join neighbours until about half of the samples are left, in the way of a full log: of each two
 * of the same track and counters one remains, with the values of both; the chance to remain is
 * proportional to the value.  So the sums of a counter stay exact.  Returns 0; -ENODATA if no two
 * can be joined; or -ENOMEM. */
int viewer_samples_halve(struct viewer_samples *samples);

#endif
