/*
 * Looks are about a factor of the square root of two apart: fewer would run too long, and more
 * would each get less of alpha.  For the same reason there is none shortly before the last one.
 */
#include "runtime/command/ab/schedule.h"

#include "runtime/profile/base/maths.h"
#include "runtime/compare/statistics/statistics.h"

/* The first of very many pairs would get nothing, and intervals without an end. */
#define LEAST 1e-9

enum runs_side schedule_side(size_t pair, size_t run)
{
	return (pair + run) % 2 ? RUNS_AFTER : RUNS_BEFORE;
}

/* Returns the look that follows one after `pairs` pairs; the first one for 0. */
static size_t next_look(size_t pairs)
{
	for (size_t scale = 1;; scale *= 2) {
		if (pairs < 5 * scale)
			return 5 * scale;
		if (pairs < 7 * scale)
			return 7 * scale;
	}
}

static bool is_early(size_t pairs, size_t most)
{
	return pairs * 5 <= most * 4;
}

bool schedule_looks(size_t pairs, size_t most)
{
	return pairs == most || (pairs && is_early(pairs, most) && next_look(pairs - 1) == pairs);
}

double schedule_alpha(double alpha, size_t pairs, size_t most)
{
	size_t before = 0;
	double part, digit = LEAST * alpha;

	while (next_look(before) < pairs && is_early(next_look(before), most))
		before = next_look(before);
	if (!before && pairs == most)
		return alpha;
	part = statistics_spend(alpha, (double)before / (double)most, (double)pairs / (double)most);
	while (digit * 100 < part)
		digit *= 10;
	/* cut to two digits, for readers */
	return part < digit ? digit : maths_floor(part / digit) * digit;
}
