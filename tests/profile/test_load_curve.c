/* The shape of a run shows each load in its column, and names the moment that stands out by it.
 * Moments are unusual by a function that has more than usual, by nearly no samples, or by many;
 * each with its time, those that come again as one, and none where chance explains it. */
#include "runtime/output/report/intervals.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/time/timeline.h"
#include "runtime/profile/tree/call_tree.h"
#include "tests/support/unit.h"

#define COUNTER	    1
#define SAMPLES_MAX 200000
#define MS	    1000000ULL
#define S	    1000000000ULL

/* A timeline of samples of stacks of two frames, which are added in the order of time. */
static struct string_table strings;
static struct call_tree *calls;
static struct timeline timeline;

UNIT(teardown)
{
	free(timeline.samples);
	call_tree_free(calls);
	string_table_free(&strings);
	calls = NULL;
	strings = (struct string_table){ 0 };
	timeline = (struct timeline){ 0 };
	return 0;
}

static void begin(uint64_t from_ns, uint64_t end_ns)
{
	unit_teardown(NULL);
	calls = call_tree_new();
	timeline = (struct timeline){ .from_ns = from_ns, .end_ns = end_ns };
	timeline.samples = calloc(SAMPLES_MAX, sizeof(*timeline.samples));
}

static uint32_t name_of(const char *text)
{
	return string_table_intern(&strings, text, strlen(text));
}

/* Add a sample of a stack that ends in `leaf`; NULL: one that is not selected. */
static struct timeline_sample *add(uint64_t time_ns, const char *leaf, uint64_t events)
{
	uint32_t outer = call_tree_child(calls, CALL_TREE_ROOT, name_of("main"));

	assert_true(timeline.sample_count < SAMPLES_MAX);
	timeline.samples[timeline.sample_count] = (struct timeline_sample){
		.time_ns = time_ns,
		.samples = 1,
		.events = events,
		.node = leaf ? call_tree_child(calls, outer, name_of(leaf)) : CALL_TREE_ROOT,
		.counter = COUNTER,
	};
	return &timeline.samples[timeline.sample_count++];
}

static struct load_source source_of(bool lasts, bool waits)
{
	return (struct load_source){ &timeline, calls, strings.count, COUNTER, lasts, waits };
}

static struct load_curve shape; /* that was found last */

static void find_shape(unsigned columns, bool lasts, bool waits)
{
	const struct load_source source = source_of(lasts, waits);

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
	begin(5 * S, 15 * S);
	for (unsigned column = 0; column < 10; column++)
		for (unsigned i = 0; i < 10; i++) {
			uint64_t time_ns = (5 + column) * S + i * 100 * MS;

			add(time_ns, "f", (column + 1) * 10 * MS);
			add(time_ns, NULL, 900 * MS);
			add(time_ns, "f", 900 * MS)->counter = COUNTER + 1;
		}
	add(15 * S, "f", 30 * MS); /* the last moment is in the last column */
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
	begin(2 * S, 12 * S);
	for (unsigned i = 0; i < 70; i++)
		add(3500 * MS + i * 10000, "wait", 1);
	add(4250 * MS, "wait", 3 * S);
	add(8500 * MS, "wait", 3250 * MS);
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
	begin(0, 10 * S);
	for (unsigned i = 1; i <= 100; i++)
		if (i <= 50 || i > 60)
			add(i * 100 * MS, i % 2 ? "f" : "g", i == 61 ? 1100 * MS : 100 * MS);
	find_shape(20, true, false);
	assert_int_equal(shape.columns, 20);
	for (unsigned i = 0; i < 20; i++)
		assert_near(shape.load[i], 1);
	assert_false(shape.has_busiest);
}

TEST(few_samples_have_no_shape)
{
	begin(0, 10 * S);
	for (unsigned i = 0; i < 40; i++)
		add(i * 250 * MS, "f", MS);
	find_columns(60, false, 0);
}

TEST(fewer_samples_have_fewer_columns)
{
	begin(0, 10 * S);
	for (unsigned i = 0; i < 100; i++)
		add(i * 100 * MS, "f", MS);
	find_columns(60, false, 25);
}

/* Three and a half threads from 7.3 s on, and four and a half from 7.4 s to 7.5 s; one and a half
 * at 2 s, else one. */
TEST(the_busiest_moment_is_that_of_the_largest_load)
{
	begin(0, 10 * S);
	for (uint64_t ms = 0; ms < 10000; ms++) {
		add(ms * MS, "f", MS);
		for (unsigned i = 1; i < ms / 100 - 70 + ms % 2 && ms >= 7300 && ms < 7500; i++)
			add(ms * MS, "f", MS);
		if (ms >= 2000 && ms < 2100 && ms % 2)
			add(ms * MS, "f", MS);
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
	begin(1230 * MS, 9990 * MS);
	for (uint64_t ms = 1230; ms < 9990; ms++)
		add(ms * MS, "a", ms >= 6050 && ms < 6150 ? 3 * MS : MS);
	find_shape(50, false, false);
	assert_true(shape.has_busiest);
	assert_int_equal(shape.busiest_from_ns, 6000 * MS);
	assert_int_equal(shape.busiest_to_ns, 6200 * MS);
}

TEST(an_axis_without_length_or_end_has_no_shape)
{
	begin(S, S);
	for (unsigned i = 0; i < 100; i++)
		add(S, "f", UINT64_MAX);
	find_columns(100, false, 0);
	timeline.end_ns = UINT64_MAX;
	find_columns(100, false, 0);
	timeline.end_ns = INT64_MAX;
	find_columns(100, true, 25);
	find_columns(100, false, 25);
}

#define KINDS_MAX 8

static struct found {
	unsigned count;
	struct interval_words words[KINDS_MAX];
} found; /* what was found last */

static void find(void)
{
	const struct load_source source = source_of(true, false);
	struct interval_records records;
	struct interval_sums whole;
	struct intervals moments;

	found = (struct found){ 0 };
	assert_int_equal(interval_records_read(&source, &records), 0);
	assert_int_equal(intervals_find(&records, &moments), 0);
	assert_int_equal(interval_sums_make(&source, &records, NULL, records.from_ns,
					    records.to_ns + 1, &whole),
			 0);
	for (unsigned i = 0; i < moments.count && i < KINDS_MAX; i++)
		assert_int_equal(intervals_explain(&source, NULL, &records, &whole,
						   &moments.kinds[i], &found.words[i]),
				 0);
	found.count = moments.count;
	interval_sums_free(&whole);
	intervals_free(&moments);
	interval_records_free(&records);
}

static const char *name_in(const struct interval_words *words)
{
	return string_table_text(&strings, words->name);
}

static void assert_within(uint64_t value, uint64_t expected, uint64_t distance)
{
	assert_in_range(value, expected - distance, expected + distance);
}

/* "a" 7 of 10 and "c" 3 of 10, but: "b" 8 of 10 at 4.2 s, at 6.1 s and 6.2 s, and at 8.7 s 7 of 10;
 * "d" 8 of 10 at 1.5 s. */
static const char *leaf_at(uint64_t ms)
{
	uint64_t at = ms * 7 % 10; /* no run of one function is longer than four */

	if (ms / 100 == 42 || ms / 100 == 61 || ms / 100 == 62)
		return at < 8 ? "b" : "c";
	if (ms / 100 == 87)
		return at < 7 ? "b" : "a";
	if (ms / 100 == 15)
		return at < 8 ? "d" : "a";
	return at < 7 ? "a" : "c";
}

TEST(functions_that_have_more_are_ranked_and_named)
{
	begin(0, 10 * S);
	for (uint64_t ms = 0; ms < 10000; ms++)
		add(ms * MS, leaf_at(ms), MS);
	find();
	assert_int_equal(found.count, 2);
	assert_int_equal(found.words[0].kind, INTERVAL_MIX);
	assert_string_equal(name_in(&found.words[0]), "b");
	assert_int_equal(found.words[0].count, 3);
	assert_within(found.words[0].from_ns, 6100 * MS, 2 * MS);
	assert_within(found.words[0].to_ns, 6300 * MS, 4 * MS);
	assert_true(found.words[0].share > 0.78 && found.words[0].share < 0.82);
	assert_true(fabs(found.words[0].usual - 0.031) < 1e-9);
	assert_string_equal(name_in(&found.words[1]), "d");
	assert_int_equal(found.words[1].count, 1);
	assert_within(found.words[1].from_ns, 1500 * MS, 2 * MS);
}

/* Asleep from 4 to 5 s; five threads at 7.2 s for 80 ms. */
TEST(nearly_no_samples_and_many_are_moments)
{
	const struct interval_words *quiet, *busy;

	begin(0, 10 * S);
	for (uint64_t ms = 0; ms < 10000; ms++)
		for (unsigned i = 0; i < (ms >= 7200 && ms < 7280 ? 5 : ms / 1000 != 4); i++)
			add(ms * MS, ms % 3 ? "f" : "g", MS);
	find();
	assert_int_equal(found.count, 2);
	quiet = &found.words[found.words[0].kind == INTERVAL_BUSY];
	busy = &found.words[found.words[0].kind != INTERVAL_BUSY];
	assert_int_equal(quiet->kind, INTERVAL_QUIET);
	assert_within(quiet->from_ns, 3999 * MS, MS);
	assert_within(quiet->to_ns, 4999 * MS, MS);
	assert_int_equal(busy->kind, INTERVAL_BUSY);
	assert_within(busy->from_ns, 7200 * MS, 40 * MS);
	assert_within(busy->to_ns, 7280 * MS, 40 * MS);
}

/* 50 ms of "b" at each second but the first. */
TEST(what_comes_at_regular_times_says_how_often)
{
	begin(0, 10 * S);
	for (uint64_t ms = 0; ms < 10000; ms++) {
		bool inside = ms >= 1000 && ms % 1000 < 50;

		add(ms * MS, inside ? "b" : ms % 2 ? "a" : "c", MS);
	}
	find();
	assert_int_equal(found.count, 1);
	assert_int_equal(found.words[0].count, 9);
	assert_within(found.words[0].every_ns, S, MS);
	assert_string_equal(found.words[0].times, "9 times 50 ms, every 1 s");
}

TEST(an_empty_or_endless_axis_has_no_moments)
{
	begin(S, S);
	find();
	assert_int_equal(found.count, 0);
	for (unsigned i = 0; i < 100; i++)
		add(S, "f", UINT64_MAX);
	find();
	assert_int_equal(found.count, 0);
	timeline.end_ns = INT64_MAX;
	find();
}

static unsigned random_name(void)
{
	return (unsigned)(40 * pow((double)random() / RAND_MAX, 3));
}

/* Functions with shares from 29 % down to 0.8 %, in an order that only chance has made.  The older
 * half is thinned: each sample stands for eight. */
TEST(chance_makes_no_moment_unusual)
{
	unsigned by_chance = 0;

	for (unsigned round = 0; round < 100; round++) {
		begin(0, 10 * S);
		srandom(round + 1);
		for (uint64_t ms = 0; ms < 10000; ms += ms < 5000 ? 8 : 1) {
			char name[] = "function 00";

			name[9] = (char)('0' + random_name() / 10);
			name[10] = (char)('0' + random() % 3);
			add(ms * MS, name, ms < 5000 ? 8 * MS : MS)->samples = ms < 5000 ? 8 : 1;
		}
		find();
		by_chance += found.count;
	}
	assert_int_equal(by_chance, 0);
}

/* A sample of one of many functions, by chance. */
static void add_any(uint64_t ms, uint64_t samples)
{
	char name[] = "function 00";

	name[9] = (char)('0' + random_name() / 10);
	name[10] = (char)('0' + random() % 9);
	add(ms * MS, name, samples)->samples = samples;
}

/* In each tenth moment there are few samples, or one of ten stands for 40; in the others there are
 * `usual` in each millisecond.  Returns how many functions are said to have more than usual. */
static unsigned moments_with_few_samples(unsigned seed, bool heavy, unsigned usual)
{
	unsigned mixed = 0;

	begin(0, 10 * S);
	srandom(seed);
	for (uint64_t ms = 0; ms < 10000; ms++) {
		if (ms / 100 % 10 != 3)
			for (unsigned i = 0; i < usual; i++)
				add_any(ms, 1);
		else if (heavy)
			add_any(ms, random() % 10 ? 1 : 40);
		else if (ms % 8 == 0)
			add_any(ms, 1);
	}
	find();
	for (unsigned i = 0; i < found.count && i < KINDS_MAX; i++)
		mixed += found.words[i].kind == INTERVAL_MIX;
	return mixed;
}

TEST(few_samples_make_no_function_unusual)
{
	for (unsigned round = 1; round <= 20; round++)
		assert_int_equal(moments_with_few_samples(round, false, 10), 0);
	for (unsigned round = 1; round <= 20; round++)
		assert_int_equal(moments_with_few_samples(round, true, 3), 0);
}
