/*
 * Unusual moments of a run: those in which other functions are busy than in the rest.
 */
#ifndef RUNTIME_FOLD_REPORT_SHAPE_MIX_H
#define RUNTIME_FOLD_REPORT_SHAPE_MIX_H

#include <stdint.h>

#define SHAPE_UNUSUAL_MAX   3u
#define SHAPE_FUNCTIONS_MAX 2u

struct shape_moments;
struct shape_source;

/* A function's share of a counter's events: within a moment, and outside of it and of those like
 * it. */
struct shape_function {
	uint32_t name; /* a number of the string table */
	double share;
	double elsewhere;
};

/* A part of the time in which other functions are busy than usual. */
struct shape_unusual {
	uint64_t from_ns, to_ns;
	unsigned more; /* further moments in which the same function is the most unusual */
	unsigned function_count;
	struct shape_function functions[SHAPE_FUNCTIONS_MAX]; /* the most unusual one first */
};

/* Find up to SHAPE_UNUSUAL_MAX of them, the most unusual one first.  Returns 0, or -ENOMEM with
 * nothing found. */
int shape_mix_find(const struct shape_source *source, const struct shape_moments *moments,
		   struct shape_unusual *unusual, unsigned *count);

#endif
