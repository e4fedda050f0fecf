/*
 * speedscope's own file format: one JSON file with all frames once, and a profile for each counter
 * or for each thread and counter, which speedscope lists for its user.
 *
 * Where samples have times, each thread has a profile of each counter with its samples in the order
 * of time (speedscope_timed.h), which speedscope shows first.  They take the place of profiles of
 * threads without times, and follow those of all threads.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_SPEEDSCOPE_H
#define RUNTIME_OUTPUT_FORMATS_SPEEDSCOPE_H

#include <stdbool.h>
#include <stdio.h>

#include "config/settings/settings.h"

struct frame_tree;
struct lines;
struct profile;

/* One counter. */
struct speedscope_counter {
	const char *name;
	bool nanoseconds; /* unit of a value; otherwise speedscope has no unit for it */
	struct frame_tree *tree;
};

struct speedscope_options {
	const char *title;
	struct lines *lines; /* has the source positions of frames; NULL: not available */
	bool threads; /* the second frame of a stack is its thread, which gets its own profile */
	const struct profile *timed; /* has a timeline; NULL: there is none */
	enum settings_weight weight; /* of the samples with times */
};

/* Write the sorted stacks of `count` counters.  The result is valid JSON in UTF-8 whatever bytes
 * the names hold.  Returns 0, -EIO or -ENOMEM. */
int speedscope_write(const struct speedscope_counter *counters, unsigned count,
		     const struct speedscope_options *options, FILE *file);

#endif
