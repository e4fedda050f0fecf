/* Two commands run in turns that weigh a drift alike on both, and looks at their runs together miss
 * no more often than one look. */
#include <string.h>

#include "runtime/command/ab/ab.h"
#include "runtime/profile/base/maths.h"
#include "runtime/compare/statistics/statistics.h"
#include "tests/support/unit.h"

#define TRIALS 2000
#define MOST   20
#define ALPHA  0.05

static uint64_t seed;

UNIT(setup)
{
	seed = 88172645463325252ULL;
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
