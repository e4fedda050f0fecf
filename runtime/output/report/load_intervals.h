/*
 * The samples that a shape is made of, and moments: equal parts of a profile's time, whose bounds
 * are round numbers.
 */
#ifndef RUNTIME_OUTPUT_REPORT_LOAD_INTERVALS_H
#define RUNTIME_OUTPUT_REPORT_LOAD_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LOAD_INTERVALS_MAX 128u

struct call_tree;
struct timeline;
struct timeline_sample;

/* What a shape is made of. */
struct load_source {
	const struct timeline *timeline;
	const struct call_tree *calls; /* has the nodes of the timeline */
	uint32_t names;		       /* numbers of names given out */
	uint32_t counter;
	bool lasts; /* a sample stands for the nanoseconds before it, as many as its events: of a
		     * clock, all of which a thread can have used at the earliest then, and of a
		     * wait */
	bool waits; /* the counter's samples have no unusual moments, because all of them end in the
		     * scheduler */
};

struct load_intervals {
	uint64_t from_ns, to_ns; /* the first and the last moment may be shorter */
	uint64_t length_ns;	 /* 1, 2 or 5 times a power of ten */
	uint64_t first;		 /* the first moment begins at first * length_ns, or at from_ns */
	unsigned count;
	double events[LOAD_INTERVALS_MAX];
	uint32_t samples[LOAD_INTERVALS_MAX];
};

/* Returns true for a sample of the counter whose stack is selected. */
bool load_intervals_take(const struct load_source *source, const struct timeline_sample *sample);

/* Divide the time so that a moment has enough of the samples to be judged by.  Returns false if
 * there are too few samples for that. */
bool load_intervals_divide(struct load_intervals *moments, uint64_t from_ns, uint64_t to_ns,
			   size_t samples);

/* Returns the index of the moment that holds a time, or is nearest to it. */
unsigned load_intervals_at(const struct load_intervals *moments, uint64_t time_ns);

/* Find the bounds of the moments from index `low` to index `high`. */
void load_intervals_bounds(const struct load_intervals *moments, unsigned low, unsigned high,
			   uint64_t *from_ns, uint64_t *to_ns);

/* The median of numbers, and the standard deviation that their median distance from it stands for
 * (a third of the numbers may be anything). */
struct load_middle {
	double median;
	double deviation;
};

/* `count`: 1 to SHAPE_MOMENTS_MAX.  Sorts the numbers. */
struct load_middle load_middle_of(double *numbers, unsigned count);

#endif
