/* Measures of a comparison are judged together, and the whole says whether anything is significant.
 */
#include "runtime/compare/comparison.h"
#include "runtime/compare/comparison_words.h"
#include "tests/support/unit.h"

static struct comparison comparison;

UNIT(setup)
{
	comparison = (struct comparison){ .runs = { 6, 6 }, .alpha = 0.01 };
	return 0;
}

UNIT(teardown)
{
	comparison_free(&comparison);
	return 0;
}

/* Add a measure whose runs vary by 1 around `before`, and around `after`. */
static struct comparison_measure *add(const char *name, double before, double after)
{
	struct comparison_measure *measure = comparison_add_measure(&comparison, name, "ns");

	assert_non_null(measure);
	for (int side = 0; side < 2; side++) {
		measure->value[side] = calloc(comparison.runs[side], sizeof(double));
		for (size_t run = 0; run < comparison.runs[side]; run++)
			measure->value[side][run] =
				(side ? after : before) + (double)((run * 5 + 1) % 3) - 1;
	}
	return measure;
}

static const struct changes_value *result_of(const char *name)
{
	for (size_t i = 0; i < comparison.measure_count; i++)
		if (!strcmp(comparison.measures[i].name, name))
			return &comparison.measures[i].result;
	fail_msg("no measure %s", name);
	return NULL;
}

TEST(a_measure_that_changed_is_sure_and_others_are_not)
{
	add("wall", 1000, 1010);
	add("cpu", 500, 500);
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_true(result_of("wall")->significant && result_of("wall")->tested);
	assert_true(fabs(result_of("wall")->change.change - 10) < 1e-9);
	assert_true(result_of("wall")->change.low > 7 && result_of("wall")->change.high < 13);
	assert_false(result_of("cpu")->significant);
	assert_true(comparison_differs(&comparison));
}

TEST(nothing_differs_where_nothing_changed)
{
	add("wall", 1000, 1000);
	add("max-rss", 77, 77);
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_false(comparison_differs(&comparison));
}

TEST(context_is_no_part_of_the_verdict)
{
	add("load", 3, 300)->context = true;
	add("wall", 1000, 1000);
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_false(result_of("load")->significant || result_of("load")->tested);
	assert_true(result_of("load")->change.chance < 1e-6);
	assert_false(comparison_differs(&comparison));
}

/* A change of 1.8 has a chance of about 0.6 %, which is enough by itself. */
TEST(many_measures_need_better_proof)
{
	add("wall", 1000, 1001.8);
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_true(result_of("wall")->significant);
	for (int i = 0; i < 20; i++)
		add("other", 50, 50);
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_false(result_of("wall")->significant);
	assert_true(result_of("wall")->change.chance < 0.01);
}

/* Looks at growing data judge the same comparison again and again. */
TEST(a_measure_is_judged_anew)
{
	add("wall", 1000, 1010);
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_true(comparison_differs(&comparison));
	comparison.alpha = 1e-12;
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_false(comparison_differs(&comparison));
}

TEST(pairs_are_judged_as_pairs)
{
	struct comparison_measure *measure = add("wall", 1000, 1001);

	for (int side = 0; side < 2; side++)
		for (size_t run = 0; run < 6; run++)
			measure->value[side][run] += 50 * (double)run;
	measure->value[1][0] += 0.1;
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_false(result_of("wall")->significant);
	comparison.paired = true;
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_true(result_of("wall")->significant);
	assert_true(comparison.measures[0].drift[0].chance < 0.001);
	assert_true(fabs(comparison.measures[0].drift[1].relative - 250.0 / 1126) < 0.01);
}

TEST(outliers_are_counted_by_side)
{
	add("wall", 1000, 1000)->value[1][2] = 2000;
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_int_equal(comparison.measures[0].outliers[0], 0);
	assert_int_equal(comparison.measures[0].outliers[1], 1);
	assert_true(comparison.measures[0].drift[0].chance > 0.1);
}

TEST(one_exact_run_each_is_never_sure)
{
	comparison.runs[0] = comparison.runs[1] = 1;
	add("wall", 1000, 5000);
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_true(fabs(result_of("wall")->change.change - 4000) < 1e-9);
	assert_true(isnan(result_of("wall")->change.chance));
	assert_true(isnan(result_of("wall")->change.low));
	assert_true(isnan(comparison.measures[0].drift[0].chance));
	assert_false(comparison_differs(&comparison));
}

TEST(one_run_each_of_samples_knows_what_they_weigh)
{
	comparison.runs[0] = comparison.runs[1] = 1;
	add("instructions", 1e9, 1.1e9)->per_sample = 1e6;
	add("cycles", 1e9, 1.1e9)->per_sample = 1e9;
	assert_int_equal(comparison_judge(&comparison), 0);
	assert_false(
		result_of("instructions")->significant); /* 1000 samples and 1100: 2.2 errors */
	assert_true(result_of("instructions")->change.chance < 0.05);
	assert_true(result_of("cycles")->change.chance > 0.5);
}

TEST(a_counter_differs_by_its_whole_or_by_a_function)
{
	struct comparison_counter *counter =
		comparison_add_counter(&comparison, "cycles", "cycles");

	assert_false(comparison_differs(&comparison));
	counter->changes.whole.significant = true;
	assert_true(comparison_differs(&comparison));
	counter->changes.whole.significant = false;
	counter->changes.functions = calloc(2, sizeof(*counter->changes.functions));
	counter->changes.count = 2;
	assert_false(comparison_differs(&comparison));
	counter->changes.functions[1].self.significant = true;
	assert_true(comparison_differs(&comparison));
	counter->changes.functions[1].self.significant = false;
	counter->changes.functions[0].total.significant = true;
	assert_true(comparison_differs(&comparison));
}

TEST(notes_keep_their_order)
{
	for (int i = 0; i < 40; i++)
		assert_int_equal(comparison_note(&comparison, "run %d was %s.", i, "slow"), 0);
	assert_int_equal(comparison.note_count, 40);
	assert_string_equal(comparison.notes[0], "run 0 was slow.");
	assert_string_equal(comparison.notes[39], "run 39 was slow.");
}

TEST(an_interval_may_have_no_upper_end)
{
	struct statistics_change change = { .relative_low = 0.071, .relative_high = 0.093 };
	char text[COMPARISON_INTERVAL_BYTES];

	comparison_interval(text, &change);
	assert_string_equal(text, "+7.1 to +9.3");
	change.relative_high = INFINITY;
	comparison_interval(text, &change);
	assert_string_equal(text, "> +7.1");
	change.relative_low = -INFINITY;
	comparison_interval(text, &change);
	assert_string_equal(text, "-");
}

TEST(a_long_name_is_cut)
{
	char name[200];

	memset(name, 'n', sizeof(name) - 1);
	name[199] = '\0';
	assert_int_equal(strlen(comparison_add_counter(&comparison, name, "")->name), 63);
	assert_int_equal(strlen(comparison_add_measure(&comparison, name, "")->name), 63);
	comparison.measure_count = 0; /* it has no values */
}
