/*
 * Interim analyses are about a factor of the square root of two apart: fewer would run too long,
 * and more would each get less of alpha.  For the same reason there is none shortly before the last
 * one.
 */
#include "runtime/command/ab/ab.h"

#include <string.h>

#include "runtime/compare/statistics/statistics.h"
#include "runtime/profile/base/maths.h"

/* The first of very many pairs would get nothing, and intervals without an end. */
#define LEAST	   1e-9
#define NEGLIGIBLE 0.01 /* relative change */

enum runs_side schedule_variant(size_t pair, size_t run)
{
	return (pair + run) % 2 ? RUNS_AFTER : RUNS_BEFORE;
}

/* Returns the analysis that follows one after `pairs` pairs; the first one for 0. */
static size_t next_interim(size_t pairs)
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

bool schedule_is_interim(size_t pairs, size_t most)
{
	return pairs == most ||
	       (pairs && is_early(pairs, most) && next_interim(pairs - 1) == pairs);
}

double schedule_alpha(double alpha, size_t pairs, size_t most)
{
	size_t before = 0;
	double part, digit = LEAST * alpha;

	while (next_interim(before) < pairs && is_early(next_interim(before), most))
		before = next_interim(before);
	if (!before && pairs == most)
		return alpha;
	part = statistics_spend(alpha, (double)before / (double)most, (double)pairs / (double)most);
	while (digit * 100 < part)
		digit *= 10;
	/* cut to two digits, for readers */
	return part < digit ? digit : maths_floor(part / digit) * digit;
}

static bool is_decided(const struct changes_value *value)
{
	/* NaN, without R's library, decides nothing */
	return value->significant || (value->change.relative_low >= -NEGLIGIBLE &&
				      value->change.relative_high <= NEGLIGIBLE);
}

/* What clocks count is CPU time, which is known more exactly than by samples. */
static bool is_clock(const char *counter)
{
	return strncmp(counter, "task-clock", strlen("task-clock")) == 0 ||
	       strncmp(counter, "cpu-clock", strlen("cpu-clock")) == 0;
}

static bool counter_decided(const struct comparison *comparison,
			    const struct comparison_counter *counter)
{
	if (is_clock(counter->name))
		return true;
	for (size_t i = 0; i < comparison->measure_count; i++)
		if (strcmp(comparison->measures[i].name, counter->name) == 0)
			return is_decided(&comparison->measures[i].result);
	return is_decided(&counter->changes.whole);
}

static bool is_of_time(const struct comparison_measure *measure)
{
	return strcmp(measure->name, "wall") == 0 || strcmp(measure->name, "cpu") == 0;
}

static bool limits_decided(const struct comparison *comparison,
			   const struct comparison_limit *limits, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char line[512];
		int answer = comparison_check(comparison, &limits[i], line, sizeof(line));

		if (answer != COMPARISON_BELOW && answer != COMPARISON_ABOVE)
			return false;
	}
	return true;
}

/* Measures that nobody asked for take no part: their changes explain those of time, and an answer
 * about time does not wait for a count of page faults that is not certain.  Where a measure is the
 * total of a counter, it decides: it is exact, and the sum of samples is not. */
bool schedule_decided(const struct comparison *comparison, const struct comparison_limit *limits,
		      size_t count)
{
	if (count)
		return limits_decided(comparison, limits, count);
	for (size_t i = 0; i < comparison->measure_count; i++)
		if (is_of_time(&comparison->measures[i]) &&
		    !is_decided(&comparison->measures[i].result))
			return false;
	for (size_t i = 0; i < comparison->counter_count; i++)
		if (!counter_decided(comparison, &comparison->counters[i]))
			return false;
	return true;
}
