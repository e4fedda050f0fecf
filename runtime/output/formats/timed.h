/*
 * What the formats with time share: the frames and stacks of a profile as tables of numbers, and
 * its samples by thread and counter.
 *
 * A frame is one function at one place, so that inlined functions are frames of their own.  A stack
 * is a frame and the stack that called it; its number is above its caller's.  Names lose the ending
 * that shows the kind of their code: formats have a field for it.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_TIMED_H
#define RUNTIME_OUTPUT_FORMATS_TIMED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/settings/settings.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/profile/time/timeline.h"

struct locations;
struct profile;
struct timeline;
struct timeline_mark;

#define TIMED_NONE UINT32_MAX

struct timed_frame {
	uint64_t address; /* as in struct location; 0: it is no machine code */
	uint32_t mapping; /* number of a struct location_mapping; 0: none */
	uint32_t name;	  /* a number of the profile's strings, like the next */
	uint32_t file;	  /* 0: file and line are unknown */
	uint32_t line;
	uint32_t start_line; /* first line of the function; 0: unknown */
	uint32_t name_bytes; /* length of the name without its ending */
	uint32_t inlined;    /* how many functions it is inlined into, at this address */
	enum frame_kind kind;
};

struct timed_stack {
	uint32_t caller; /* TIMED_NONE: the frame is outermost */
	uint32_t frame;
};

struct timed {
	const struct profile *profile;
	const struct timeline *timeline;
	const struct locations *locations;
	const struct string_table *strings;
	struct timed_frame *frames;
	uint32_t frame_count;
	struct timed_stack *stacks;
	uint32_t stack_count;
	uint32_t *stack_of; /* by node of locations->calls */
	uint32_t nodes;
	unsigned counters;
	bool weigh_events[SPOOL_COUNTERS_MAX]; /* the value of a counter is its events */
	size_t *order;	  /* indices of the selected samples, by track, counter and time */
	size_t *first;	  /* in `order`, by track * counters + counter; and the end */
	uint64_t zero_ns; /* CLOCK_MONOTONIC of time 0 */
};

/* Returns whether all samples of a profile have a time. */
bool timed_has_all(const struct profile *profile);

/* Returns whether a profile has what timed_make() needs. */
bool timed_is_possible(const struct profile *profile);

/* Make the order of samples of a profile that was made with profile_options.timeline, without the
 * tables of frames and stacks.  Returns 0, -ENOMEM, or -EINVAL without a timeline.  In all cases
 * call timed_free(). */
int timed_open(struct timed *timed, const struct profile *profile, enum settings_weight weight);

/* Make the order and the tables of a profile that was made with profile_options.timeline and
 * .locations. Returns 0, -ENOMEM, or -EINVAL without them.  In all cases call timed_free(). */
int timed_make(struct timed *timed, const struct profile *profile, enum settings_weight weight);
void timed_free(struct timed *timed);

/* Returns the number of a sample's stack; TIMED_NONE if it has no frame. */
uint32_t timed_stack_of(const struct timed *timed, const struct timeline_sample *sample);

/* Returns whether a sample that counts events is to be written: its stack is selected, and it has
 * events.  The switch that begins a wait has none. */
bool timed_has_events(const struct timeline_sample *sample);

/* Returns the value of a sample, in samples or events as its counter is weighted. */
uint64_t timed_value(const struct timed *timed, const struct timeline_sample *sample);

/* Returns when the time began that ends with a sample: time off the processor, or on it. */
uint64_t timed_begin(const struct timeline_sample *sample);

/* Returns the indices of a track's samples of a counter, in the order of time. */
const size_t *timed_samples(const struct timed *timed, uint32_t track, unsigned counter,
			    size_t *count);

/* Returns whether the counter is time that a thread spends: on the processor, or off it. */
bool timed_is_cpu_time(const struct timed *timed, unsigned counter);
bool timed_is_off_cpu(const struct timed *timed, unsigned counter);

/* Returns the text of a number of the profile's strings. */
const char *timed_text(const struct timed *timed, uint32_t number);

/* Returns "fork", "throttled" and so on; static. */
const char *timed_mark_name(enum spool_mark kind);

/* Write a time in milliseconds, exact to the nanosecond. */
void timed_write_ms(FILE *file, uint64_t ns);

/*
 * Spans of time in which a thread had one set of labels: from a sample with the set to the first
 * one with another.  And the texts of spans and marks.
 */
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
