/* Two commands run in turns that weigh a drift alike on both, looks at their runs together miss no
 * more often than one look, and the runs stop when all that was asked for is decided, not before.
 */
#include <math.h>
#include <string.h>

#include "runtime/command/ab/ab.h"
#include "runtime/compare/comparison.h"
#include "runtime/profile/base/maths.h"
#include "runtime/compare/statistics/statistics.h"
#include "runtime/profile/base/maths.h"
#include "tests/support/unit.h"

#define TRIALS 2000
#define MOST   20
#define ALPHA  0.05

static uint64_t seed;
static struct comparison comparison;

UNIT(setup)
{
	seed = 88172645463325252ULL;
	comparison = (struct comparison){ .runs = { 5, 5 }, .paired = true, .alpha = 0.01 };
	return 0;
}

UNIT(teardown)
{
	comparison_free(&comparison);
	return 0;
}

static double uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (double)(seed >> 11) / 0x1p53;
}

/* Nearly normal: a sum of uniform values. */
static double noise(void)
{
	double sum = -6;

	for (int i = 0; i < 12; i++)
		sum += uniform();
	return sum;
}

TEST(a_drift_weighs_alike_on_both_sides)
{
	char order[17] = "";
	double sum[RUNS_SIDES] = { 0 };

	for (size_t run = 0; run < 16; run++) {
		enum runs_side side = schedule_variant(run / 2, run % 2);

		order[run] = side == RUNS_BEFORE ? 'A' : 'B';
		sum[side] += (double)run;
	}
	assert_string_equal(order, "ABBAABBAABBAABBA");
	assert_true(sum[RUNS_BEFORE] == sum[RUNS_AFTER]);
}

TEST(looks_are_few_and_the_last_pair_is_one)
{
	static const size_t looks[] = { 5, 7, 10, 14, 20, 28, 40, 56, 80, 100 };
	size_t found = 0;

	for (size_t pairs = 0; pairs <= 100; pairs++)
		if (schedule_is_interim(pairs, 100))
			assert_int_equal(pairs, looks[found++]);
	assert_int_equal(found, sizeof(looks) / sizeof(looks[0]));
	assert_true(schedule_is_interim(3, 3));
	assert_false(schedule_is_interim(5, 3));
	assert_false(schedule_is_interim(10, 11));
	assert_false(schedule_is_interim(1, 3));
}

TEST(the_looks_share_alpha)
{
	if (!maths_has_distributions())
		skip();
	for (size_t most = 2; most < 70; most++) {
		double sum = 0;

		for (size_t pairs = 1; pairs <= most; pairs++) {
			double part = schedule_alpha(0.01, pairs, most);

			assert_true(part > 0 && part <= 0.01);
			if (schedule_is_interim(pairs, most))
				sum += part;
		}
		assert_true(sum > 0.01 * 0.9 && sum < 0.01 * (1 + 1e-7));
		/* most of it is left for the end */
		assert_true(schedule_alpha(0.01, most, most) > 0.0055);
	}
}

TEST(equal_sides_are_seldom_told_apart_by_any_look)
{
	unsigned alarms = 0;

	if (!maths_has_distributions())
		skip();
	for (unsigned trial = 0; trial < TRIALS; trial++) {
		double value[2][MOST];
		struct statistics_group group[2] = { { .value = value[0] }, { .value = value[1] } };
		struct statistics_change change;
		bool alarm = false;

		for (size_t pair = 0; pair < MOST && !alarm; pair++) {
			value[0][pair] = 100 + noise();
			value[1][pair] = 100 + noise();
			if (!schedule_is_interim(pair + 1, MOST))
				continue;
			group[0].count = group[1].count = pair + 1;
			assert_int_equal(statistics_compare(group, STATISTICS_PAIRED,
							    schedule_alpha(ALPHA, pair + 1, MOST),
							    &change),
					 0);
			alarm = change.low > 0 || change.high < 0;
		}
		alarms += alarm;
	}
	/* four standard errors above 5 % */
	assert_true(alarms < TRIALS * 0.0695);
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
