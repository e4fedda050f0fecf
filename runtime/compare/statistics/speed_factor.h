/*
 * The speed factor of a run: how much longer all functions took in it, alike, than in the other
 * runs. A neighbour on the same core, the frequency, or the temperature of the processor change it
 * from run to run, and no counter tells.  Values divided by it are normalized: they vary only as
 * much as the function itself does, so that far smaller changes are significant.
 *
 * It is that of the functions that did not change, their base: what a run spent in them, relative
 * to the mean of all runs.  It is not used
 * - where it hardly varies: then each function has its own change, without reservations;
 * - where it differs significantly between the sides: it may be the program that changed,
 * everywhere;
 * - where no base is to be seen: too few functions, or too many that changed.
 * So a change of all functions alike is never divided out of an answer that had been certain of it.
 */
#ifndef RUNTIME_COMPARE_STATISTICS_SPEED_FACTOR_H
#define RUNTIME_COMPARE_STATISTICS_SPEED_FACTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/compare/statistics/statistics.h"

/* The functions that may be the base: large enough to take part in the comparison. */
struct speed_factor_question {
	const double *value; /* own values: a row for each function, with all runs of the side
			      * before and then those of the side after */
	size_t functions;
	struct statistics_test test;
};

struct speed_factor {
	double *of_run; /* of all runs, those before first; 1 on average.  NULL: it is not used */
	double slowest; /* the largest speed factor, relative to the smallest */
	struct statistics_change shift; /* of the mean speed factor between the sides */
	bool alike; /* it is significant and not used: most functions changed by the shift */
};

/* Find the speed factor of runs, if it is to be used.  Returns 0 or -ENOMEM, with *speed to be
 * freed with speed_factor_free() in any case.  Context: any but a signal's. */
int speed_factor_find(const struct speed_factor_question *question, struct speed_factor *speed);
void speed_factor_free(struct speed_factor *speed);

#endif
