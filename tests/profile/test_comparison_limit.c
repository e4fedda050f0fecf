/* A limit is exceeded only if all of the interval is beyond it. */
#include "runtime/compare/comparison.h"
#include "tests/support/unit.h"

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

static int check(const char *name, double percent, char line[512])
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
	struct comparison comparison = { .alpha = .01,
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
	return comparison_check(&comparison, &limit, line, 512);
}

TEST(the_interval_decides)
{
	char line[512];

	assert_int_equal(check(NULL, 2, line), COMPARISON_ABOVE);
	assert_non_null(strstr(line, "task-clock: +5.0 %"));
	assert_non_null(strstr(line, "above the limit of 2 %"));
	assert_int_equal(check(NULL, 5, line), COMPARISON_UNDECIDED);
	assert_non_null(strstr(line, "undecided"));
	assert_int_equal(check(NULL, 8, line), COMPARISON_BELOW);
	assert_non_null(strstr(line, "not above the limit of 8 %"));
}

/* 1030 / 1000. - 1 is a little more than .03. */
TEST(a_change_of_just_the_limit_is_not_above_it)
{
	struct comparison_measure measure = { .name = "faults",
					      .unit = "",
					      .result = value_of(1000, 1030, 0, 0) };
	struct comparison comparison = { .alpha = .01, .measures = &measure, .measure_count = 1 };
	struct comparison_limit limit = { "faults", 3 };
	char line[512];

	measure.result.change.relative_low = measure.result.change.relative_high = 1030 / 1000. - 1;
	assert_int_equal(comparison_check(&comparison, &limit, line, sizeof(line)),
			 COMPARISON_BELOW);
	limit.percent = 2.999;
	assert_int_equal(comparison_check(&comparison, &limit, line, sizeof(line)),
			 COMPARISON_ABOVE);
}

TEST(names_are_those_of_measures_counters_and_functions)
{
	char line[512];

	assert_int_equal(check("wall", 4, line), COMPARISON_ABOVE);
	assert_int_equal(check("wall", 20, line), COMPARISON_BELOW);
	assert_int_equal(check("task-clock", 2, line), COMPARISON_ABOVE);
	assert_int_equal(check("grew", 30, line), COMPARISON_ABOVE);
	assert_int_equal(check("grew", 70, line), COMPARISON_BELOW);
	assert_int_equal(check("nobody", 70, line), -ENOENT);
	assert_non_null(strstr(line, "nobody"));
}

TEST(what_is_surely_new_is_above_any_limit)
{
	char line[512];

	assert_int_equal(check("new", 1000, line), COMPARISON_ABOVE);
}

TEST(without_an_interval_nothing_is_decided)
{
	struct comparison_measure measure = { .name = "wall",
					      .unit = "ns",
					      .result = value_of(100, 200, NAN, NAN) };
	struct comparison comparison = { .alpha = .01, .measures = &measure, .measure_count = 1 };
	struct comparison_limit limit = { NULL, 3 };
	char line[512];

	assert_int_equal(comparison_check(&comparison, &limit, line, sizeof(line)),
			 COMPARISON_UNDECIDED);
}
