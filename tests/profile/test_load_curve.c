/* The shape of a run shows each load in its column, and names the moment that stands out by it. */
#include "runtime/output/report/intervals.h"
#include "tests/support/timeline_builder.h"
#include "tests/support/unit.h"

static struct load_curve shape; /* that was found last */

static void find_shape(unsigned columns, bool lasts, bool waits)
{
	struct load_source source = timeline_builder_source();

	source.lasts = lasts;
	source.waits = waits;
	load_curve_find(&source, columns, &shape);
}

static void find_columns(unsigned columns, bool spans, unsigned expected)
{
	find_shape(columns, spans, spans);
	assert_int_equal(shape.columns, expected);
}

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9 * (1 + fabs(expected)))
		fail_msg("%.12g instead of %.12g", value, expected);
}

TEST(each_column_has_the_load_of_its_time)
{
	timeline_builder_begin(5 * S, 15 * S);
	for (unsigned column = 0; column < 10; column++)
		for (unsigned i = 0; i < 10; i++) {
			uint64_t time_ns = (5 + column) * S + i * 100 * MS;

			timeline_builder_add(time_ns, "f", (column + 1) * 10 * MS);
			timeline_builder_add(time_ns, NULL, 900 * MS);
			timeline_builder_add(time_ns, "f", 900 * MS)->counter =
				TIMELINE_BUILDER_COUNTER + 1;
		}
	timeline_builder_add(15 * S, "f", 30 * MS); /* the last moment is in the last column */
	find_columns(10, false, 10);
	assert_int_equal(shape.from_ns, 5 * S);
	assert_int_equal(shape.to_ns, 15 * S);
	for (unsigned i = 0; i < 9; i++)
		assert_near(shape.load[i], 0.1 * (i + 1));
	assert_near(shape.load[9], 1.03);
	assert_near(shape.peak, 1.03);
}

/* 70 spans that end within 0.7 ms; one of them began in another column, one before the start. */
TEST(spans_load_all_columns_that_they_lie_in)
{
	timeline_builder_begin(2 * S, 12 * S);
	for (unsigned i = 0; i < 70; i++)
		timeline_builder_add(3500 * MS + i * 10000, "wait", 1);
	timeline_builder_add(4250 * MS, "wait", 3 * S);
	timeline_builder_add(8500 * MS, "wait", 3250 * MS);
	find_columns(10, true, 10);
	assert_near(shape.load[0], 1);
	assert_near(shape.load[1], 1 + 70e-9);
	assert_near(shape.load[2], 0.25);
	assert_near(shape.load[3], 0.75);
	assert_near(shape.load[4], 1);
	assert_near(shape.load[5], 1);
	assert_near(shape.load[6], 0.5);
	assert_near(shape.load[7] + shape.load[8] + shape.load[9], 0);
}

/* A thread's time up to its next sample may be in that one: of 1 s, 0.9 s before its column. */
TEST(what_a_clock_counted_since_the_last_sample_lies_before)
{
	timeline_builder_begin(0, 10 * S);
	for (unsigned i = 1; i <= 100; i++)
		if (i <= 50 || i > 60)
			timeline_builder_add(i * 100 * MS, i % 2 ? "f" : "g",
					     i == 61 ? 1100 * MS : 100 * MS);
	find_shape(20, true, false);
	assert_int_equal(shape.columns, 20);
	for (unsigned i = 0; i < 20; i++)
		assert_near(shape.load[i], 1);
	assert_false(shape.has_busiest);
}

TEST(few_samples_have_no_shape)
{
	timeline_builder_begin(0, 10 * S);
	for (unsigned i = 0; i < 40; i++)
		timeline_builder_add(i * 250 * MS, "f", MS);
	find_columns(60, false, 0);
}

TEST(fewer_samples_have_fewer_columns)
{
	timeline_builder_begin(0, 10 * S);
	for (unsigned i = 0; i < 100; i++)
		timeline_builder_add(i * 100 * MS, "f", MS);
	find_columns(60, false, 25);
}

/* Three and a half threads from 7.3 s on, and four and a half from 7.4 s to 7.5 s; one and a half
 * at 2 s, else one. */
TEST(the_busiest_moment_is_that_of_the_largest_load)
{
	timeline_builder_begin(0, 10 * S);
	for (uint64_t ms = 0; ms < 10000; ms++) {
		timeline_builder_add(ms * MS, "f", MS);
		for (unsigned i = 1; i < ms / 100 - 70 + ms % 2 && ms >= 7300 && ms < 7500; i++)
			timeline_builder_add(ms * MS, "f", MS);
		if (ms >= 2000 && ms < 2100 && ms % 2)
			timeline_builder_add(ms * MS, "f", MS);
	}
	find_shape(100, false, false);
	assert_true(shape.has_busiest);
	assert_int_equal(shape.busiest_from_ns, 7300 * MS);
	assert_int_equal(shape.busiest_to_ns, 7500 * MS);
	assert_near(shape.busiest_load, 4);
	assert_near(shape.usual_load, 1);
}

/* The axis begins at 1.23 s: the bounds of moments are round all the same. */
TEST(moments_have_round_bounds)
{
	timeline_builder_begin(1230 * MS, 9990 * MS);
	for (uint64_t ms = 1230; ms < 9990; ms++)
		timeline_builder_add(ms * MS, "a", ms >= 6050 && ms < 6150 ? 3 * MS : MS);
	find_shape(50, false, false);
	assert_true(shape.has_busiest);
	assert_int_equal(shape.busiest_from_ns, 6000 * MS);
	assert_int_equal(shape.busiest_to_ns, 6200 * MS);
}

TEST(an_axis_without_length_or_end_has_no_shape)
{
	timeline_builder_begin(S, S);
	for (unsigned i = 0; i < 100; i++)
		timeline_builder_add(S, "f", UINT64_MAX);
	find_columns(100, false, 0);
	timeline_builder.timeline.end_ns = UINT64_MAX;
	find_columns(100, false, 0);
	timeline_builder.timeline.end_ns = INT64_MAX;
	find_columns(100, true, 25);
	find_columns(100, false, 25);
}
