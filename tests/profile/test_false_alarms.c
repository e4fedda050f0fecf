/* Many changes, and looks at growing data, make no more false alarms than they may. */
#include "tests/support/simulated.h"
#include "tests/support/unit.h"

#define TRIALS 4000

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
