/* Measures of a comparison are judged together, the whole says whether anything is significant, and
 * a limit is exceeded only if all of the interval is beyond it. */
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

static struct changes_value value_of(double before, double after, double low, double high)
{
	return (struct changes_value){
		.change = { .mean = { before, after },
			    .change = after - before,
			    .low = low * before,
			    .high = high * before,
			    .relative = before > 0 ? after / before - 1 : INFINITY,
			    .relative_low = low,
			    .relative_high = high,
			    .chance = .001 },
		.tested = true,
		.significant = low > 0 || high < 0,
	};
}

static int parse(const char *text, struct comparison_limit *limit)
{
	static char copy[256];
	char line[512];

	snprintf(copy, sizeof(copy), "%s", text);
	return comparison_limit_parse(copy, limit, line, sizeof(line));
}

TEST(a_limit_is_a_percentage_with_or_without_a_name)
{
	struct comparison_limit limit;

	assert_int_equal(parse("3%", &limit), 0);
	assert_null(limit.name);
	assert_true(fabs(limit.percent - 3) < 1e-12);
	assert_int_equal(parse("0.5", &limit), 0);
	assert_true(fabs(limit.percent - .5) < 1e-12);
	assert_int_equal(parse("compute=5%", &limit), 0);
	assert_string_equal(limit.name, "compute");
	assert_int_equal(parse("operator==(A, B)=2", &limit), 0);
	assert_string_equal(limit.name, "operator==(A, B)");
	assert_true(fabs(limit.percent - 2) < 1e-12);
}

TEST(what_is_no_limit_is_refused)
{
	static const char *const wrong[] = { "",      "%",   "0",	"-3",  "3%%", "=3",
					     "a=",    "a=b", "compute", "inf", "nan", "1e9",
					     "a=inf", " 3",  "3 %x",	"+3" };
	struct comparison_limit limit;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (parse(wrong[i], &limit) != -EINVAL)
			fail_msg("'%s' is accepted", wrong[i]);
}

static char line[512];

static int check(const char *name, double percent)
{
	struct changes_function functions[] = { { .name = "grew",
						  .self = value_of(10, 10, -.1, .1),
						  .total = value_of(100, 150, .4, .6) },
						{ .name = "new",
						  .self = value_of(0, 5, -INFINITY, INFINITY),
						  .total = value_of(0, 5, -INFINITY, INFINITY) } };
	struct comparison_counter counter = { .name = "task-clock", .unit = "ns" };
	struct comparison_measure measure = { .name = "wall",
					      .unit = "ns",
					      .result = value_of(100, 110, .05, .15) };
	struct comparison of_one = { .alpha = .01,
				     .measures = &measure,
				     .measure_count = 1,
				     .counters = &counter,
				     .counter_count = 1 };
	struct comparison_limit limit = { name, percent };

	functions[1].total.change.low = 3;
	functions[1].total.change.high = 7;
	counter.changes = (struct changes){ .whole = value_of(1000, 1050, .03, .07),
					    .functions = functions,
					    .count = 2 };
	return comparison_check(&of_one, &limit, line, sizeof(line));
}

TEST(the_interval_decides_of_measures_counters_and_functions)
{
	assert_int_equal(check(NULL, 2), COMPARISON_ABOVE);
	assert_non_null(strstr(line, "task-clock: +5.0 %"));
	assert_non_null(strstr(line, "above the limit of 2 %"));
	assert_int_equal(check(NULL, 5), COMPARISON_UNDECIDED);
	assert_non_null(strstr(line, "undecided"));
	assert_int_equal(check(NULL, 8), COMPARISON_BELOW);
	assert_non_null(strstr(line, "not above the limit of 8 %"));
	assert_int_equal(check("wall", 4), COMPARISON_ABOVE);
	assert_int_equal(check("wall", 20), COMPARISON_BELOW);
	assert_int_equal(check("task-clock", 2), COMPARISON_ABOVE);
	assert_int_equal(check("grew", 30), COMPARISON_ABOVE);
	assert_int_equal(check("grew", 70), COMPARISON_BELOW);
	assert_int_equal(check("nobody", 70), -ENOENT);
	assert_non_null(strstr(line, "nobody"));
	/* what is surely new is above any limit */
	assert_int_equal(check("new", 1000), COMPARISON_ABOVE);
}

/* 1030 / 1000. - 1 is a little more than .03. */
TEST(a_change_of_just_the_limit_is_not_above_it)
{
	struct comparison_measure measure = { .name = "faults",
					      .unit = "",
					      .result = value_of(1000, 1030, 0, 0) };
	struct comparison of_one = { .alpha = .01, .measures = &measure, .measure_count = 1 };
	struct comparison_limit limit = { "faults", 3 };

	measure.result.change.relative_low = measure.result.change.relative_high = 1030 / 1000. - 1;
	assert_int_equal(comparison_check(&of_one, &limit, line, sizeof(line)), COMPARISON_BELOW);
	limit.percent = 2.999;
	assert_int_equal(comparison_check(&of_one, &limit, line, sizeof(line)), COMPARISON_ABOVE);
}

TEST(without_an_interval_nothing_is_decided)
{
	struct comparison_measure measure = { .name = "wall",
					      .unit = "ns",
					      .result = value_of(100, 200, NAN, NAN) };
	struct comparison of_one = { .alpha = .01, .measures = &measure, .measure_count = 1 };
	struct comparison_limit limit = { NULL, 3 };
	assert_int_equal(comparison_check(&of_one, &limit, line, sizeof(line)),
			 COMPARISON_UNDECIDED);
}
