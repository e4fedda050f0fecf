/*
 * Spans of time in which a thread had one set of labels: from a sample with the set to the first
 * one with another.  And the text of a set.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_TIMED_SPANS_H
#define RUNTIME_OUTPUT_FORMATS_TIMED_SPANS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct timed;
struct timeline;

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

/* Write "request=17, user=alice" and trace and span ids, with any bytes in the texts. */
void timed_spans_write(const struct timed *timed, const struct timed_span *span, FILE *file);

#endif
