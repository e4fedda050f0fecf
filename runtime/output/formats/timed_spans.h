/*
 * Spans of time in which a thread had one set of labels: from a sample with the set to the first
 * one with another.  And the texts of spans and marks.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_TIMED_SPANS_H
#define RUNTIME_OUTPUT_FORMATS_TIMED_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct timed;
struct timeline;
struct timeline_mark;

struct timed_span {
	uint32_t track;
	uint32_t labels; /* as in struct timeline_sample, like the next; one of them is not 0 */
	uint32_t trace;
	uint64_t from_ns;
	uint64_t to_ns;
};

/* List the spans of all tracks, by track and time.  Returns 0 with *spans, to be freed by
 * the caller; or -ENOMEM. */
int timed_spans_make(const struct timeline *timeline, struct timed_span **spans, size_t *count);

/* Returns the spans of one track among all; NULL if there are none. */
const struct timed_span *timed_spans_of(const struct timed_span *spans, size_t count,
					uint32_t track, size_t *found);

/* Returns what is known of a mark beside its name ("/lib/libm.so.6", "pid 4711"); or, if it is
 * NULL, the labels of a span ("request=17, user=alice") with trace and span ids.  The text is
 * UTF-8, to be freed; *bytes is its length.  NULL when memory is out. */
char *timed_spans_details(const struct timed *timed, const struct timeline_mark *mark,
			  const struct timed_span *span, size_t *bytes);

#endif
