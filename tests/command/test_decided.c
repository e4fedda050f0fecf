/* The runs of a comparison stop when all that was asked for is decided, and not before. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command/ab/ab.h"
#include "runtime/compare/comparison.h"
#include "tests/support/unit.h"

static struct comparison comparison;

UNIT(setup)
{
	comparison = (struct comparison){ .runs = { 5, 5 }, .paired = true, .alpha = 0.01 };
	return 0;
}

UNIT(teardown)
{
	comparison_free(&comparison);
	return 0;
}

static void set(struct changes_value *value, double low, double high, bool significant)
{
	*value = (struct changes_value){
		.change = { .mean = { 100, 100 },
			    .relative = (low + high) / 2,
			    .relative_low = low,
			    .relative_high = high },
		.tested = true,
		.significant = significant,
	};
}

static void add_measure(const char *name, double low, double high, bool significant)
{
	struct comparison_measure *measure = comparison_add_measure(&comparison, name, "ns");

	assert_non_null(measure);
	set(&measure->result, low, high, significant);
}

static void add_counter(const char *name, double low, double high, bool significant)
{
	struct comparison_counter *counter = comparison_add_counter(&comparison, name, "ns");

	assert_non_null(counter);
	set(&counter->changes.whole, low, high, significant);
}

static bool decided(void)
{
	return schedule_decided(&comparison, NULL, 0);
}

TEST(times_are_decided_if_sure_or_within_a_percent)
{
	add_measure("wall", 0.02, 0.08, true);
	add_measure("cpu", -0.004, 0.009, false);
	assert_true(decided());
	set(&comparison.measures[1].result, -0.004, 0.011, false);
	assert_false(decided());
	set(&comparison.measures[1].result, NAN, NAN, false);
	assert_false(decided());
}

TEST(measures_that_nobody_asked_for_take_no_part)
{
	add_measure("wall", 0.02, 0.08, true);
	add_measure("cpu", 0.02, 0.08, true);
	add_measure("page-faults", -0.5, 0.5, false);
	add_counter("task-clock", -0.5, 0.5, false);
	assert_true(decided());
}

TEST(counters_are_decided_by_their_exact_totals_or_as_a_whole)
{
	add_measure("wall", 0.02, 0.08, true);
	add_measure("page-faults", -0.5, 0.5, false);
	add_counter("page-faults", 0.02, 0.08, true);
	assert_false(decided());
	set(&comparison.measures[1].result, 0.02, 0.08, true);
	assert_true(decided());
	add_counter("off-cpu", -0.5, 0.5, false);
	assert_false(decided());
	set(&comparison.counters[1].changes.whole, 0, 0, false);
	assert_true(decided());
}

TEST(limits_are_decided_on_either_side_of_the_interval)
{
	struct comparison_limit limits[] = { { "wall", 3 }, { "cpu", 3 } };

	add_measure("wall", 0.04, 0.08, true);
	add_measure("cpu", -0.5, 0.02, false);
	assert_true(schedule_decided(&comparison, limits, 2));
	set(&comparison.measures[1].result, -0.5, 0.04, false);
	assert_false(schedule_decided(&comparison, limits, 2));
	assert_true(schedule_decided(&comparison, limits, 1));
}

TEST(a_limit_of_something_unknown_is_not_decided)
{
	struct comparison_limit limit = { "no_such_function", 3 };

	add_measure("wall", 0.04, 0.08, true);
	assert_false(schedule_decided(&comparison, &limit, 1));
}
