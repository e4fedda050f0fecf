/* The shape of a run shows each load in its column, and names the moments and functions that stand
 * out, and no others. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/string_table.h"
#include "runtime/fold/profile/call_tree.h"
#include "runtime/fold/profile/timeline.h"
#include "runtime/fold/report/shape.h"
#include "tests/support/unit.h"

#define MS	    1000000ULL
#define S	    1000000000ULL
#define COUNTER	    1
#define SAMPLES_MAX 200000

/* A timeline in the making: its samples are added in the order of time. */
struct made {
	struct string_table strings;
	struct call_tree *calls;
	struct timeline timeline;
};

static struct made make(uint64_t from_ns, uint64_t end_ns)
{
	struct made made = { .calls = call_tree_new(),
			     .timeline = { .from_ns = from_ns, .end_ns = end_ns } };

	made.timeline.samples = calloc(SAMPLES_MAX, sizeof(*made.timeline.samples));
	return made;
}

static void unmake(struct made *made)
{
	free(made->timeline.samples);
	call_tree_free(made->calls);
	string_table_free(&made->strings);
}

static uint32_t name_of(struct made *made, const char *text)
{
	return string_table_intern(&made->strings, text, strlen(text));
}

/* A sample of a stack that ends in `leaf`. */
static void add(struct made *made, uint64_t time_ns, const char *leaf, uint64_t events)
{
	uint32_t outer = call_tree_child(made->calls, CALL_TREE_ROOT, name_of(made, "main"));

	assert_true(made->timeline.sample_count < SAMPLES_MAX);
	made->timeline.samples[made->timeline.sample_count++] = (struct timeline_sample){
		.time_ns = time_ns,
		.samples = 1,
		.events = events,
		.node = leaf ? call_tree_child(made->calls, outer, name_of(made, leaf))
			     : CALL_TREE_ROOT,
		.counter = COUNTER,
	};
}

static struct shape shape_of(struct made *made, unsigned columns, bool spans)
{
	struct shape_source source = { &made->timeline, made->calls, made->strings.count, COUNTER,
				       spans };
	struct shape shape;

	assert_int_equal(shape_find(&source, columns, &shape), 0);
	return shape;
}

static void assert_near(double value, double expected)
{
	if (fabs(value - expected) > 1e-9 * (1 + fabs(expected)))
		fail_msg("%.12g instead of %.12g", value, expected);
}

static const char *text_of(const struct made *made, uint32_t name)
{
	return string_table_text(&made->strings, name);
}

TEST(each_column_has_the_load_of_its_time)
{
	struct made made = make(5 * S, 15 * S);
	struct shape shape;

	for (unsigned column = 0; column < 10; column++)
		for (unsigned i = 0; i < 10; i++) {
			uint64_t time_ns = (5 + column) * S + i * 100 * MS;

			add(&made, time_ns, "f", (column + 1) * 10 * MS);
			add(&made, time_ns, NULL, 900 * MS);
			add(&made, time_ns, "f", 900 * MS);
			made.timeline.samples[made.timeline.sample_count - 1].counter = COUNTER + 1;
		}
	add(&made, 15 * S, "f", 30 * MS); /* the last moment is in the last column */
	shape = shape_of(&made, 10, false);
	assert_int_equal(shape.columns, 10);
	assert_int_equal(shape.from_ns, 5 * S);
	assert_int_equal(shape.to_ns, 15 * S);
	for (unsigned i = 0; i < 9; i++)
		assert_near(shape.load[i], 0.1 * (i + 1));
	assert_near(shape.load[9], 1.03);
	assert_near(shape.peak, 1.03);
	unmake(&made);
}

/* 70 spans that end within 0.7 ms; one of them began in another column, one before the start. */
TEST(spans_load_all_columns_that_they_lie_in)
{
	struct made made = make(2 * S, 12 * S);
	struct shape shape;

	for (unsigned i = 0; i < 70; i++)
		add(&made, 3500 * MS + i * 10000, "wait", 1);
	add(&made, 4250 * MS, "wait", 3 * S);
	add(&made, 8500 * MS, "wait", 3250 * MS);
	shape = shape_of(&made, 10, true);
	assert_int_equal(shape.columns, 10);
	assert_near(shape.load[0], 1);
	assert_near(shape.load[1], 1 + 70e-9);
	assert_near(shape.load[2], 0.25);
	assert_near(shape.load[3], 0.75);
	assert_near(shape.load[4], 1);
	assert_near(shape.load[5], 1);
	assert_near(shape.load[6], 0.5);
	assert_near(shape.load[7] + shape.load[8] + shape.load[9], 0);
	assert_int_equal(shape.unusual_count, 0);
	unmake(&made);
}

TEST(few_samples_have_no_shape)
{
	struct made made = make(0, 10 * S);

	for (unsigned i = 0; i < 40; i++)
		add(&made, i * 250 * MS, "f", MS);
	assert_int_equal(shape_of(&made, 60, false).columns, 0);
	unmake(&made);
}

TEST(fewer_samples_have_fewer_columns)
{
	struct made made = make(0, 10 * S);

	for (unsigned i = 0; i < 100; i++)
		add(&made, i * 100 * MS, "f", MS);
	assert_int_equal(shape_of(&made, 60, false).columns, 25);
	unmake(&made);
}

/* Three and a half threads from 7.3 s on, and four and a half from 7.4 s to 7.5 s; one and a half
 * at 2 s, else one. */
TEST(the_busiest_moment_is_that_of_the_largest_load)
{
	struct made made = make(0, 10 * S);
	struct shape shape;

	for (uint64_t ms = 0; ms < 10000; ms++) {
		add(&made, ms * MS, "f", MS);
		for (unsigned i = 1; i < ms / 100 - 70 + ms % 2 && ms >= 7300 && ms < 7500; i++)
			add(&made, ms * MS, "f", MS);
		if (ms >= 2000 && ms < 2100 && ms % 2)
			add(&made, ms * MS, "f", MS);
	}
	shape = shape_of(&made, 100, false);
	assert_true(shape.has_busiest);
	assert_int_equal(shape.busiest_from_ns, 7300 * MS);
	assert_int_equal(shape.busiest_to_ns, 7500 * MS);
	assert_near(shape.busiest_load, 4);
	assert_near(shape.usual_load, 1);
	assert_int_equal(shape.unusual_count, 0);
	unmake(&made);
}

/* The axis begins at 1.23 s: the bounds of moments are round all the same. */
TEST(moments_have_round_bounds)
{
	struct made made = make(1230 * MS, 9990 * MS);
	struct shape shape;

	for (uint64_t ms = 1230; ms < 9990; ms++)
		add(&made, ms * MS, ms >= 6050 && ms < 6150 ? "b" : "a", MS);
	shape = shape_of(&made, 50, false);
	assert_int_equal(shape.unusual_count, 1);
	assert_int_equal(shape.unusual[0].from_ns, 6000 * MS);
	assert_int_equal(shape.unusual[0].to_ns, 6200 * MS);
	unmake(&made);
}

/* "a" 7 of 10 and "c" 3 of 10, but: "b" 8 of 10 at 4.2 s, at 6.1 s and 6.2 s, and at 8.7 s 7 of 10;
 * "d" 4 of 10 and "c" none at 1.5 s. */
static const char *leaf_at(uint64_t ms)
{
	uint64_t at = ms % 10;

	if (ms / 100 == 42 || ms / 100 == 61 || ms / 100 == 62)
		return at < 8 ? "b" : "c";
	if (ms / 100 == 87)
		return at < 7 ? "b" : "a";
	if (ms / 100 == 15)
		return at < 4 ? "d" : "a";
	return at < 7 ? "a" : "c";
}

TEST(unusual_moments_are_ranked_and_named_by_what_makes_them_so)
{
	struct made made = make(0, 10 * S);
	struct shape shape;

	for (uint64_t ms = 0; ms < 10000; ms++)
		add(&made, ms * MS, leaf_at(ms), MS);
	shape = shape_of(&made, 100, false);
	assert_false(shape.has_busiest);
	assert_int_equal(shape.unusual_count, 2);
	assert_string_equal(text_of(&made, shape.unusual[0].functions[0].name), "b");
	assert_int_equal(shape.unusual[0].from_ns, 4200 * MS);
	assert_int_equal(shape.unusual[0].to_ns, 4300 * MS);
	assert_int_equal(shape.unusual[0].more, 2);
	assert_int_equal(shape.unusual[0].function_count, 1);
	assert_near(shape.unusual[0].functions[0].share, 0.8);
	assert_near(shape.unusual[0].functions[0].elsewhere, 0);
	assert_string_equal(text_of(&made, shape.unusual[1].functions[0].name), "d");
	assert_int_equal(shape.unusual[1].from_ns, 1500 * MS);
	assert_int_equal(shape.unusual[1].more, 0);
	assert_near(shape.unusual[1].functions[0].share, 0.4);
	unmake(&made);
}

/* From 3.0 to 3.3 s "x" has 5 of 8 parts and "y" 2 of 8; elsewhere "x" 1 of 4, "y" none.  Events
 * count, not samples. */
TEST(shares_are_of_events_and_those_elsewhere_exclude_the_moment)
{
	struct made made = make(0, 6 * S);
	struct shape shape;

	for (uint64_t ms = 0; ms < 6000; ms++) {
		bool inside = ms >= 3000 && ms < 3300;

		add(&made, ms * MS, "x", inside ? 5 : 1);
		add(&made, ms * MS, inside ? "y" : "z", 2);
		add(&made, ms * MS, "z", 1);
	}
	shape = shape_of(&made, 100, false);
	assert_int_equal(shape.unusual_count, 1);
	assert_int_equal(shape.unusual[0].from_ns, 3000 * MS);
	assert_int_equal(shape.unusual[0].to_ns, 3300 * MS);
	assert_int_equal(shape.unusual[0].function_count, 2);
	assert_string_equal(text_of(&made, shape.unusual[0].functions[0].name), "x");
	assert_near(shape.unusual[0].functions[0].share, 5.0 / 8);
	assert_near(shape.unusual[0].functions[0].elsewhere, 1.0 / 4);
	assert_string_equal(text_of(&made, shape.unusual[0].functions[1].name), "y");
	assert_near(shape.unusual[0].functions[1].share, 2.0 / 8);
	assert_near(shape.unusual[0].functions[1].elsewhere, 0);
	assert_true(shape.has_busiest);
	assert_int_equal(shape.busiest_from_ns, 3000 * MS);
	assert_near(shape.busiest_load * 1e6, 8);
	assert_near(shape.usual_load * 1e6, 4);
	unmake(&made);
}

static unsigned random_name(void)
{
	return (unsigned)(40 * pow((double)random() / RAND_MAX, 3));
}

/* Functions with shares from 29 % down to 0.8 %, in an order that only chance has made.  The older
 * half is thinned: each sample stands for eight. */
TEST(chance_makes_no_moment_unusual)
{
	for (unsigned round = 0; round < 100; round++) {
		struct made made = make(0, 10 * S);

		srandom(round + 1);
		for (uint64_t ms = 0; ms < 10000; ms += ms < 5000 ? 8 : 1) {
			char name[] = "function 00";

			name[9] = (char)('0' + random_name() / 10);
			name[10] = (char)('0' + random() % 3);
			add(&made, ms * MS, name, ms < 5000 ? 8 * MS : MS);
		}
		assert_int_equal(shape_of(&made, 100, false).unusual_count, 0);
		assert_false(shape_of(&made, 100, false).has_busiest);
		unmake(&made);
	}
}

/* A sample of one of many functions, by chance. */
static void add_any(struct made *made, uint64_t ms, uint64_t events)
{
	char name[] = "function 00";

	name[9] = (char)('0' + random_name() / 10);
	name[10] = (char)('0' + random() % 9);
	add(made, ms * MS, name, events);
}

/* In each tenth moment there are few samples, or one of ten stands for 40; in the others there are
 * `usual` in each millisecond. */
static unsigned moments_with_few_samples(unsigned seed, bool heavy, unsigned usual)
{
	struct made made = make(0, 10 * S);
	unsigned found;

	srandom(seed);
	for (uint64_t ms = 0; ms < 10000; ms++) {
		if (ms / 100 % 10 != 3)
			for (unsigned i = 0; i < usual; i++)
				add_any(&made, ms, 1);
		else if (heavy)
			add_any(&made, ms, random() % 10 ? 1 : 40);
		else if (ms % 8 == 0)
			add_any(&made, ms, 1);
	}
	found = shape_of(&made, 100, false).unusual_count;
	unmake(&made);
	return found;
}

TEST(few_samples_make_no_moment_unusual)
{
	for (unsigned round = 1; round <= 20; round++)
		assert_int_equal(moments_with_few_samples(round, false, 10), 0);
	for (unsigned round = 1; round <= 20; round++)
		assert_int_equal(moments_with_few_samples(round, true, 3), 0);
}

/* The share of one function goes up and down with a period of 1.7 s. */
TEST(a_mix_that_always_changes_is_not_unusual)
{
	struct made made = make(0, 10 * S);

	for (uint64_t ms = 0; ms < 10000; ms++)
		for (unsigned i = 0; i < 10; i++)
			add(&made, ms * MS,
			    (double)((ms * 10 + i) * 7919 % 1000) <
					    500 + 450 * sin((double)ms / 270)
				    ? "a"
				    : "b",
			    MS);
	assert_int_equal(shape_of(&made, 100, false).unusual_count, 0);
	unmake(&made);
}

/* A run of two halves has no usual mix. */
TEST(halves_of_a_run_are_not_unusual)
{
	struct made made = make(0, 10 * S);

	for (uint64_t ms = 0; ms < 10000; ms++)
		add(&made, ms * MS, ms < 5000 ? "a" : "b", MS);
	assert_int_equal(shape_of(&made, 100, false).unusual_count, 0);
	unmake(&made);
}

TEST(an_axis_without_length_or_end_has_no_shape)
{
	struct made made = make(S, S);

	for (unsigned i = 0; i < 100; i++)
		add(&made, S, "f", UINT64_MAX);
	assert_int_equal(shape_of(&made, 100, false).columns, 0);
	made.timeline.end_ns = UINT64_MAX;
	assert_int_equal(shape_of(&made, 100, false).columns, 0);
	made.timeline.end_ns = INT64_MAX;
	assert_int_equal(shape_of(&made, 100, true).columns, 25);
	assert_int_equal(shape_of(&made, 100, false).columns, 25);
	unmake(&made);
}
