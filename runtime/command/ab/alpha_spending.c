/*
 * Measures that nobody asked for take no part: their changes explain those of time, and an answer
 * about time does not wait for a count of page faults that is not certain.  Where a measure is the
 * total of a counter, it decides: it is exact, and the sum of samples is not.
 */
#include "runtime/command/ab/alpha_spending.h"

#include <string.h>

#include "runtime/compare/comparison.h"

#define NEGLIGIBLE 0.01

static bool is_decided(const struct changes_value *value)
{
	/* NaN, without R's library, decides nothing */
	return value->sure || (value->change.relative_low >= -NEGLIGIBLE &&
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

bool alpha_spending_decided(const struct comparison *comparison,
			    const struct comparison_limit *limits, size_t count)
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
