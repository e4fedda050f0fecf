/* Intervals of a change are those of R, and those that follow from values without variation. */
#include "tests/support/simulated.h"
#include "tests/support/unit.h"

static struct statistics_change change;

/* "Student's sleep data", as R prints its tests. */
static const double drug[2][10] = { { 1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4 },
				    { 0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0 } };
static const struct statistics_group drugs[2] = { { drug[0], 10, 0 }, { drug[1], 10, 0 } };

TEST(intervals_are_those_of_r)
{
	assert_int_equal(statistics_compare(drugs, STATISTICS_WELCH, 0.05, &change), 0);
	simulated_near(change.mean[0], 2.33, 1e-12);
	simulated_near(change.mean[1], 0.75, 1e-12);
	simulated_near(change.chance, 0.07939414, 1e-8);
	simulated_near(change.low, -3.3654832, 1e-6);
	simulated_near(change.high, 0.2054832, 1e-6);
	assert_int_equal(statistics_compare(drugs, STATISTICS_PAIRED, 0.05, &change), 0);
	simulated_near(change.chance, 0.00283289, 1e-7);
	simulated_near(change.low, -2.4598858, 1e-6);
	simulated_near(change.high, -0.7001142, 1e-6);
}

TEST(groups_decide_the_method)
{
	assert_int_equal(statistics_method(1, 1, true), STATISTICS_SAMPLING);
	assert_int_equal(statistics_method(1, 5, true), STATISTICS_ONE);
	assert_int_equal(statistics_method(5, 1, false), STATISTICS_ONE);
	assert_int_equal(statistics_method(5, 5, false), STATISTICS_WELCH);
	assert_int_equal(statistics_method(5, 4, true), STATISTICS_WELCH);
	assert_int_equal(statistics_method(5, 5, true), STATISTICS_PAIRED);
}

TEST(groups_that_do_not_fit_the_method_are_refused)
{
	struct statistics_group group[2] = { { drug[0], 10, 0 }, { drug[1], 9, 0 } };

	assert_int_equal(statistics_compare(group, STATISTICS_PAIRED, 0.05, &change), -EINVAL);
	assert_int_equal(statistics_compare(group, STATISTICS_ONE, 0.05, &change), -EINVAL);
	group[1].count = 1;
	assert_int_equal(statistics_compare(group, STATISTICS_WELCH, 0.05, &change), -EINVAL);
	assert_int_equal(statistics_compare(group, STATISTICS_ONE, 0.05, &change), 0);
	group[1].count = 0;
	assert_int_equal(statistics_compare(group, STATISTICS_SAMPLING, 0.05, &change), -EINVAL);
}

/* Page faults may be the same in each run.  That all before are fewer than all after has the chance
 * of their order: in 20 ways to choose three of six, two are such. */
TEST(values_without_variation_are_as_sure_as_their_order)
{
	static const double same[] = { 7, 7, 7, 7, 7 }, more[] = { 9, 9, 9, 9, 9 };
	struct statistics_group group[2] = { { same, 3, 0 }, { more, 3, 0 } };

	assert_int_equal(statistics_compare(group, STATISTICS_WELCH, 0.05, &change), 0);
	simulated_near(change.chance, 0.1, 1e-12);
	assert_true(isnan(change.low) && isnan(change.relative_high));
	simulated_near(change.relative, 2.0 / 7, 1e-12);
	group[0].count = group[1].count = 5;
	assert_int_equal(statistics_compare(group, STATISTICS_WELCH, 0.01, &change), 0);
	simulated_near(change.chance, 2.0 / 252, 1e-12);
	assert_true(change.low >= 2 && change.high <= 2);
	simulated_near(change.relative_low, 2.0 / 7, 1e-12);
	simulated_near(change.relative_high, 2.0 / 7, 1e-12);
	assert_int_equal(statistics_compare(group, STATISTICS_PAIRED, 0.01, &change), 0);
	simulated_near(change.chance, 2.0 / 32, 1e-12);
	group[0].count = 1;
	assert_int_equal(statistics_compare(group, STATISTICS_ONE, 0.01, &change), 0);
	simulated_near(change.chance, 2.0 / 6, 1e-12);
}

/* Around a power of two variances and covariances are not exact. */
TEST(pairs_that_all_differ_alike_are_as_sure_as_their_order)
{
	static const double before[] = { 254, 254, 255 }, after[] = { 256, 256, 257 };
	static const double tenths[] = { 0.1, 0.1, 0.1 };
	struct statistics_group group[2] = { { before, 3, 0 }, { after, 3, 0 } };
	struct statistics_group equal[2] = { { tenths, 1, 0 }, { tenths, 3, 0 } };

	assert_int_equal(statistics_compare(group, STATISTICS_PAIRED, 0.01, &change), 0);
	simulated_near(change.chance, 0.25, 1e-12);
	assert_true(isnan(change.low) && isnan(change.high));
	assert_int_equal(statistics_compare(equal, STATISTICS_ONE, 0.01, &change), 0);
	assert_true(change.chance >= 1 && fabs(change.high) <= 0);
}

TEST(equal_values_without_variation_are_no_change)
{
	static const double same[] = { 7, 7, 7 };
	struct statistics_group group[2] = { { same, 3, 0 }, { same, 3, 0 } };

	assert_int_equal(statistics_compare(group, STATISTICS_PAIRED, 0.05, &change), 0);
	assert_true(change.chance >= 1 && fabs(change.high) <= 0 && fabs(change.low) <= 0);
}

/* The whole of a run ends between two samples. */
TEST(the_whole_varies_by_less_than_a_sample)
{
	static const double none[] = { 0, 0, 0 }, all[] = { 1000, 1000, 1000 };
	static const double weight[] = { 10, 10 };
	struct statistics_group group[2] = { { all, 3, 0 }, { all, 3, 0 } };

	statistics_sample(group, weight, 0);
	simulated_near(group[0].sampling, 25, 1e-9);
	statistics_sample(group, weight, 1000); /* a function that is all of it */
	simulated_near(group[1].sampling, 25, 1e-9);
	group[0].value = group[1].value = none;
	statistics_sample(group, weight, 1000);
	simulated_near(group[1].sampling, 0, 1e-9);
	group[0] = group[1] = (struct statistics_group){ all, 1, 0 };
	statistics_sample(group, weight, 0); /* how it varies is not known */
	simulated_near(group[1].sampling, 10000, 1e-9);
}

TEST(what_was_not_there_before_grows_without_bounds)
{
	static const double none[] = { 0, 0, 0 }, some[] = { 5, 6, 7 };
	struct statistics_group group[2] = { { none, 3, 0 }, { some, 3, 0 } };

	assert_int_equal(statistics_compare(group, STATISTICS_WELCH, 0.05, &change), 0);
	assert_true(isinf(change.relative) && isinf(change.relative_high));
	assert_true(isinf(change.relative_low) && change.relative_low > 0);
	assert_true(change.low > 0);
	group[1].value = none;
	assert_int_equal(statistics_compare(group, STATISTICS_WELCH, 0.05, &change), 0);
	assert_true(fabs(change.relative) + fabs(change.relative_low) <= 0);
}

/* With t = 4.302653 of two degrees of freedom: 0.2 - r 300 is t standard errors of r 0.11547 from 0
 * at the lowest ratio. */
TEST(what_was_hardly_there_before_has_a_least_growth)
{
	static const double hardly[] = { 0, 0.2, 0.4 }, some[] = { 300, 300, 300 };
	struct statistics_group group[2] = { { hardly, 3, 0 }, { some, 3, 0 } };
	double most = 0.2 + 4.3026527 * 0.2 / sqrt(3);

	assert_int_equal(statistics_compare(group, STATISTICS_WELCH, 0.05, &change), 0);
	simulated_near(change.relative_low, 300 / most - 1, 1e-3);
	assert_true(isinf(change.relative_high) && change.relative_high > 0);
}

TEST(what_may_be_gone_has_not_shrunk_by_more_than_all)
{
	static const double some[] = { 100, 101, 99 }, hardly[] = { 0, 1, 8 };
	struct statistics_group group[2] = { { some, 3, 0 }, { hardly, 3, 0 } };

	assert_int_equal(statistics_compare(group, STATISTICS_WELCH, 0.05, &change), 0);
	simulated_near(change.relative_low, -1, 1e-12);
	assert_true(change.relative_high > -0.95 && change.relative_high < -0.8);
}

TEST(what_may_be_nothing_on_both_sides_has_no_bounds)
{
	static const double one[] = { 0, 0, 9 }, other[] = { 0, 11, 0 };
	struct statistics_group group[2] = { { one, 3, 0 }, { other, 3, 0 } };

	assert_int_equal(statistics_compare(group, STATISTICS_WELCH, 0.05, &change), 0);
	assert_true(isinf(change.relative_low) && change.relative_low < 0);
	assert_true(isinf(change.relative_high) && change.relative_high > 0);
}

TEST(one_exact_value_each_tells_nothing_of_chance)
{
	static const double value[] = { 10, 20 };
	struct statistics_group group[2] = { { &value[0], 1, 0 }, { &value[1], 1, 0 } };

	assert_int_equal(statistics_compare(group, STATISTICS_SAMPLING, 0.05, &change), 0);
	simulated_near(change.change, 10, 1e-12);
	simulated_near(change.relative, 1, 1e-12);
	assert_true(isnan(change.low) && isnan(change.high) && isnan(change.chance));
	assert_true(isnan(change.relative_low) && isnan(change.relative_high));
}

TEST(samples_vary_as_the_mean_of_both_groups_does)
{
	static const double none[] = { 0, 0, 0 }, some[] = { 5, 6, 7, 30 };
	static const double weight[] = { 1, 2 };
	struct statistics_group group[2] = { { none, 3, 0 }, { some, 3, 0 } };

	statistics_sample(group, weight, 24);
	simulated_near(group[0].sampling, 3 * 7.0 / 8, 1e-9);
	simulated_near(group[1].sampling, 6 * 7.0 / 8, 1e-9);
	group[1].count = 4; /* 48 in seven values, 12 in each of its own */
	statistics_sample(group, weight, 48);
	simulated_near(group[0].sampling, 48.0 / 7 * 6 / 7, 1e-9);
	simulated_near(group[1].sampling, 24 * 6.0 / 7, 1e-9);
}

/* Four degrees of freedom: 0.5 % of Student's distribution lie above 4.6041. */
TEST(pairs_without_variation_vary_as_sampling_does)
{
	static const double same[] = { 10, 10, 10, 10, 10 }, more[] = { 12, 12, 12, 12, 12 };
	struct statistics_group group[2] = { { same, 5, 10 }, { more, 5, 10 } };

	assert_int_equal(statistics_compare(group, STATISTICS_PAIRED, 0.01, &change), 0);
	simulated_near(change.high, 2 + 4.60409487 * 2, 1e-6);
	assert_true(change.chance > 0.3);
}
