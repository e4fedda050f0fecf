/*
 * speedscope's own file format: one JSON file with all frames once, and a profile for each counter
 * or for each thread and counter, which speedscope lists for its user.
 *
 * Where samples have times, each thread has a profile of each counter with its samples in the order
 * of time, which speedscope shows first.  They take the place of profiles of threads without times,
 * and follow those of all threads.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_SPEEDSCOPE_H
#define RUNTIME_OUTPUT_FORMATS_SPEEDSCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "config/settings/settings.h"

struct frame_tree;
struct json;
struct lines;
struct profile;
struct speedscope_timed;
struct string_table;

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

/* speedscope draws a stack by functions that call themselves for each frame; beyond some 3,500
 * frames the browser refuses that ("Maximum call stack size exceeded") and nothing is shown.  So of
 * a deeper stack the middle is left out, with a frame that says so. */
#define SPEEDSCOPE_STACK_MAX	  3000u /* frames, with the one that stands for others */
#define SPEEDSCOPE_STACK_LEFT_OUT "[frames left out]"

/* Write the indices of the `depth` frames in `path`, outermost first.  `left_out` is the index of
 * the frame that stands for others in a stack deeper than SPEEDSCOPE_STACK_MAX. */
void speedscope_stack_write(const uint32_t *path, size_t depth, uint32_t left_out,
			    struct json *json);

/*
 * Profiles whose samples are in the order of time: one of each thread and counter.
 *
 * Of a counter in nanoseconds the axis is the time of the run, the same for all threads: a sample
 * is as long as the time that it stands for, and samples without a stack fill the gaps.  Of any
 * other counter the axis is what it counted.
 */

/* Prepare the profiles of a profile with a timeline.  The names of their frames are added to
 * `frames`: the index of a frame is the number of its name - 1.  Counters in nanoseconds are
 * weighted by them unless `weight` is samples.  Returns 0 or -ENOMEM. */
int speedscope_timed_new(const struct profile *profile, enum settings_weight weight,
			 struct string_table *frames, struct speedscope_timed **timed);
void speedscope_timed_free(struct speedscope_timed *timed);

/* Returns whether they have all samples: of some, a log that was full may not have the time. */
bool speedscope_timed_is_complete(const struct speedscope_timed *timed);

/* Write the profiles as elements of an array.  Returns how many there are. */
unsigned speedscope_timed_write(const struct speedscope_timed *timed, struct json *json);

#endif
