/* Intervals hold what they say, on simulated runs whose truth is known; many changes, and looks at
 * growing data, make no more false alarms than they may. */
#include "runtime/compare/statistics/statistics.h"
#include "tests/support/simulated.h"
#include "tests/support/unit.h"

#define TRIALS 4000

struct misses {
	unsigned change;
	unsigned relative;
	unsigned found; /* a change */
};

static struct misses misses_of(struct simulated *simulated, enum statistics_method method,
			       double alpha)
{
	struct misses misses = { 0 };
	double truth = simulated->mean[1] - simulated->mean[0];

	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct statistics_change change;

		simulated_draw(simulated);
		assert_int_equal(statistics_compare(simulated->group, method, alpha, &change), 0);
		misses.change += change.low > truth || change.high < truth;
		misses.relative += change.relative_low > truth / simulated->mean[0] ||
				   change.relative_high < truth / simulated->mean[0];
		misses.found += change.chance < alpha;
		/* the interval and the chance are of one test */
		assert_int_equal(change.chance<alpha, change.low> 0 || change.high < 0);
	}
	return misses;
}

TEST(intervals_of_equal_spread_hold_what_they_say)
{
	static const size_t runs[] = { 2, 3, 5, 10, 30 };
	static const double alphas[] = { 0.05, 0.01 };

	for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++)
		for (size_t j = 0; j < 2; j++) {
			struct simulated simulated = { .mean = { 100, 108 },
						       .spread = { 3, 3 },
						       .runs = runs[i] };
			struct misses misses = misses_of(&simulated, STATISTICS_PAIRED, alphas[j]);

			simulated_share(misses.change, TRIALS, alphas[j]);
			simulated_at_most(misses.relative, TRIALS, alphas[j]);
			misses = misses_of(&simulated, STATISTICS_WELCH, alphas[j]);
			simulated_at_most(misses.change, TRIALS, alphas[j]);
			simulated_at_most(misses.relative, TRIALS, alphas[j]);
			if (runs[i] >= 5)
				simulated_share(misses.change, TRIALS, alphas[j]);
		}
}

TEST(intervals_of_unequal_spread_hold_what_they_say)
{
	struct simulated simulated = { .mean = { 100, 150 }, .spread = { 2, 10 }, .runs = 8 };
	struct misses misses = misses_of(&simulated, STATISTICS_WELCH, 0.05);

	simulated_share(misses.change, TRIALS, 0.05);
	simulated_share(misses.relative, TRIALS, 0.05);
}

/* The point of runs in turns: what both share does not hide the change. */
TEST(pairs_see_a_change_through_drift)
{
	struct simulated simulated = {
		.mean = { 100, 101 }, .spread = { 0.3, 0.3 }, .drift = 1, .runs = 15
	};
	struct misses paired = misses_of(&simulated, STATISTICS_PAIRED, 0.05);
	struct misses apart = misses_of(&simulated, STATISTICS_WELCH, 0.05);

	simulated_at_most(paired.change, TRIALS, 0.05);
	simulated_at_most(apart.change, TRIALS, 0.05);
	assert_true(paired.found > 2 * apart.found);
	simulated.mean[1] = 100;
	simulated_at_most(misses_of(&simulated, STATISTICS_PAIRED, 0.05).found, TRIALS, 0.05);
}

/* Machines have bad moments: one run in ten takes up to half as long again. */
TEST(outliers_do_not_make_changes)
{
	unsigned found = 0;

	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct simulated simulated = { .mean = { 100, 100 },
					       .spread = { 1, 1 },
					       .runs = 10 };
		struct statistics_change change;

		simulated_draw(&simulated);
		for (size_t i = 0; i < 20; i++)
			if (simulated_uniform() < 0.1)
				simulated.value[i % 2][i / 2] *= 1 + simulated_uniform() / 2;
		statistics_compare(simulated.group, STATISTICS_PAIRED, 0.05, &change);
		found += change.chance < 0.05;
	}
	simulated_at_most(found, TRIALS, 0.05);
}

/* Returns how often equal numbers of samples look different, in groups of these sizes. */
static unsigned alarms_of(double rate, size_t before, size_t after, bool paired, double alpha)
{
	static const double one[] = { 1, 1 };
	const size_t runs[] = { before, after };
	enum statistics_method method = statistics_method(before, after, paired);
	unsigned alarms = 0;

	for (unsigned trial = 0; trial < TRIALS; trial++) {
		double value[2][10];
		struct statistics_group group[2];
		struct statistics_change change;

		for (int side = 0; side < 2; side++) {
			for (size_t i = 0; i < runs[side]; i++)
				value[side][i] = simulated_poisson(rate);
			group[side] = (struct statistics_group){ value[side], runs[side], 0 };
		}
		statistics_sample(group, one, 1000 * rate);
		assert_int_equal(statistics_compare(group, method, alpha, &change), 0);
		alarms += change.low > 0 || change.high < 0;
	}
	return alarms;
}

/* Numbers of samples that are the same in every run but for sampling: a lucky group without
 * variation is no proof, because the variance is at least that of sampling. */
TEST(few_samples_make_no_false_alarms)
{
	static const double rates[] = { 0.1, 0.5, 1, 4, 25 }, alphas[] = { 0.05, 0.01 };
	static const size_t runs[][2] = { { 1, 1 },  { 2, 2 }, { 4, 4 }, { 10, 10 },
					  { 10, 1 }, { 1, 4 }, { 3, 10 } };

	for (size_t rate = 0; rate < sizeof(rates) / sizeof(*rates); rate++)
		for (size_t i = 0; i < sizeof(runs) / sizeof(*runs); i++)
			for (size_t way = 0; way < 4; way++) {
				double alpha = alphas[way / 2];
				unsigned alarms = alarms_of(rates[rate], runs[i][0], runs[i][1],
							    way % 2, alpha);

				simulated_at_most(alarms, TRIALS, alpha);
			}
}

TEST(one_run_each_has_the_interval_of_sampling)
{
	static const double one[] = { 1, 1 };
	unsigned missed = 0;

	for (unsigned trial = 0; trial < TRIALS; trial++) {
		double value[2] = { simulated_poisson(100), simulated_poisson(150) };
		struct statistics_group group[2] = { { &value[0], 1, 0 }, { &value[1], 1, 0 } };
		struct statistics_change change;

		statistics_sample(group, one, 10000);
		assert_int_equal(statistics_compare(group, STATISTICS_SAMPLING, 0.05, &change), 0);
		missed += change.low > 50 || change.high < 50;
	}
	simulated_near((double)missed / TRIALS, 0.05, 0.015);
	simulated_share(alarms_of(400, 1, 1, false, 0.05), TRIALS, 0.05);
}

TEST(one_run_against_many_varies_as_they_do)
{
	unsigned missed = 0;

	for (unsigned trial = 0; trial < TRIALS; trial++) {
		struct simulated simulated = { .mean = { 10, 12 }, .spread = { 1, 1 }, .runs = 6 };
		struct statistics_change change;

		simulated_draw(&simulated);
		simulated.group[trial % 2].count = 1;
		assert_int_equal(statistics_compare(simulated.group, STATISTICS_ONE, 0.05, &change),
				 0);
		missed += change.low > 2 || change.high < 2;
	}
	simulated_share(missed, TRIALS, 0.05);
}

TEST(drift_is_seen_and_noise_is_none)
{
	struct statistics_trend trend;
	unsigned alarms = 0;

	for (unsigned trial = 0; trial < TRIALS; trial++) {
		double value[12];

		for (size_t i = 0; i < 12; i++)
			value[i] = 100 + 3 * simulated_normal();
		assert_int_equal(statistics_drift(value, 12, &trend), 0);
		alarms += trend.chance < 0.05;
		for (size_t i = 0; i < 12; i++)
			value[i] = 100 + 2 * (double)i + simulated_normal();
		statistics_drift(value, 12, &trend);
		assert_true(trend.chance < 0.01);
		simulated_near(trend.relative, 22.0 / 111, 0.06);
	}
	simulated_share(alarms, TRIALS, 0.05);
	assert_int_equal(statistics_drift((double[]){ 1, 2, 3 }, 3, &trend), -EINVAL);
}

TEST(outliers_are_counted)
{
	static const double value[] = { 10, 10.1, 9.9, 10.2, 9.8, 15, 10, 3 };

	assert_int_equal(statistics_outliers(value, 8), 2);
	assert_int_equal(statistics_outliers(value, 5), 0);
	assert_int_equal(statistics_outliers(value + 2, 4), 0);
	assert_int_equal(statistics_outliers(value, 0), 0);
}

TEST(discoveries_are_those_of_benjamini_and_hochberg)
{
	static const double chance[] = { 0.205, 0.001, NAN,   0.042, 0.008, 0.074, 0.039,
					 0.041, 0.061, 0.212, 0.216, 0.222, 0.251, 0.269,
					 0.275, 0.34,  0.341, 0.384, 0.569, 0.594, 0.696,
					 0.762, 0.94,  0.942, 0.975, 0.986 };
	bool found[26];

	/* At a rate of 0.25 the fifth of 25 may be 0.05 and is 0.042, the sixth 0.06 and is 0.061.
	 */
	assert_int_equal(statistics_discover(chance, 26, 0.25, found), 5);
	for (size_t i = 0; i < 26; i++)
		assert_int_equal(found[i], chance[i] < 0.05);
	assert_int_equal(statistics_discover(chance, 0, 0.25, found), 0);
}

/* Chances of 60 things, of which the first `true_ones` differ. */
static void draw_chances(size_t true_ones, double chance[60])
{
	for (size_t i = 0; i < 60; i++) {
		struct simulated simulated = { .mean = { 100, i < true_ones ? 105 : 100 },
					       .spread = { 2, 2 },
					       .runs = 6 };
		struct statistics_change change;

		simulated_draw(&simulated);
		statistics_compare(simulated.group, STATISTICS_PAIRED, 0.05, &change);
		chance[i] = change.chance;
	}
}

TEST(false_discoveries_are_as_rare_as_they_should_be)
{
	unsigned any = 0;
	double wrong = 0, power = 0;
	bool found[60];

	for (unsigned trial = 0; trial < 400; trial++) {
		double chance[60];
		double marked, false_ones = 0;

		draw_chances(0, chance);
		any += statistics_discover(chance, 60, 0.05, found) > 0;
		draw_chances(20, chance);
		marked = (double)statistics_discover(chance, 60, 0.05, found);
		for (size_t i = 20; i < 60; i++)
			false_ones += found[i];
		wrong += marked > 0 ? false_ones / marked : 0;
		power += (marked - false_ones) / 20;
	}
	simulated_at_most(any, 400, 0.05);
	assert_true(wrong / 400 < 0.05);
	assert_true(power / 400 > 0.3);
}

static const double looks[] = { 0, 5, 7, 10, 14, 20, 28 };
#define PAIRS 28
#define LOOKS (sizeof(looks) / sizeof(*looks) - 1)

TEST(looks_spend_no_more_than_there_is)
{
	double sum = 0, last = 0;

	for (size_t i = 0; i < LOOKS; i++) {
		double part = statistics_spend(0.01, looks[i] / PAIRS, looks[i + 1] / PAIRS);

		assert_true(part > last);
		sum += part;
		last = part;
	}
	simulated_near(sum, 0.01, 1e-12);
	simulated_near(statistics_spend(0.05, 0, 0.5), 0.00557461,
		       1e-7);	   /* Lan and DeMets, z 2.772 */
	assert_true(last > 0.006); /* most is left for the last */
}

struct looked {
	unsigned found;
	unsigned early;	 /* of these, before the last look */
	unsigned missed; /* intervals of the last look made, that do not hold the truth */
};

/* Look at pairs of runs until a difference is found. */
static void look(double difference, double alpha, struct looked *looked)
{
	struct simulated simulated = {
		.mean = { 100, 100 + difference }, .spread = { 2, 2 }, .drift = 1, .runs = PAIRS
	};
	struct statistics_change change;
	bool found = false;

	simulated_draw(&simulated);
	for (size_t i = 0; i < LOOKS && !found; i++) {
		double part = statistics_spend(alpha, looks[i] / PAIRS, looks[i + 1] / PAIRS);

		simulated.group[0].count = simulated.group[1].count = (size_t)looks[i + 1];
		statistics_compare(simulated.group, STATISTICS_PAIRED, part, &change);
		found = change.chance < part;
		looked->early += found && i < LOOKS - 1;
	}
	looked->found += found;
	looked->missed += change.low > difference || change.high < difference;
}

TEST(looking_early_makes_no_more_false_alarms)
{
	static const double alphas[] = { 0.05, 0.01 };

	for (size_t i = 0; i < 2; i++) {
		struct looked equal = { 0 }, different = { 0 };

		for (unsigned trial = 0; trial < TRIALS; trial++) {
			look(0, alphas[i], &equal);
			look(5, alphas[i], &different);
		}
		simulated_at_most(equal.found, TRIALS, alphas[i]);
		simulated_at_most(equal.missed, TRIALS, alphas[i]);
		simulated_at_most(different.missed, TRIALS, alphas[i]);
		assert_true(different.early > TRIALS * 9 / 10);
	}
}
