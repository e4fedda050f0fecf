/*
 * speedscope's own file format: one JSON file, all frames once, and a profile for each counter
 * or for each thread and counter, which its reader offers as a list.
 */
#ifndef RUNTIME_FOLD_FORMATS_SPEEDSCOPE_H
#define RUNTIME_FOLD_FORMATS_SPEEDSCOPE_H

#include <stdbool.h>
#include <stdio.h>

struct frame_tree;
struct profile;
struct profile_origin;

/* One counter. */
struct speedscope_counter {
	const char *name;
	bool nanoseconds; /* what a value counts; else it has no unit that speedscope knows */
	struct frame_tree *tree;
};

struct speedscope_options {
	const char *title;
	/* Where a frame stands in the source; NULL: nothing is known. */
	bool (*origin)(const struct profile *profile, const char *name,
		       struct profile_origin *origin);
	const struct profile *profile; /* for origin */
	bool threads; /* the second frame of a stack is its thread, which gets its own profile */
};

/* Write the sorted stacks of `count` counters.  The result is valid JSON in UTF-8 whatever the
 * names hold.  Returns 0, -EIO or -ENOMEM. */
int speedscope_write(const struct speedscope_counter *counters, unsigned count,
		     const struct speedscope_options *options, FILE *file);

#endif
