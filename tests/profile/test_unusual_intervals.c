/* Moments are unusual by a function that has more than usual, by nearly no samples, or by many;
 * each with its time, those that come again as one, and none where chance explains it. */
#include "runtime/output/report/intervals.h"
#include "tests/support/timeline_builder.h"
#include "tests/support/unit.h"

#define KINDS_MAX 8

static struct found {
	unsigned count;
	struct interval_words words[KINDS_MAX];
} found; /* what was found last */

static void find(void)
{
	struct load_source source = timeline_builder_source();
	struct interval_records records;
	struct interval_sums whole;
	struct intervals moments;

	found = (struct found){ 0 };
	source.lasts = true;
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

static const char *name_of(const struct interval_words *words)
{
	return string_table_text(&timeline_builder.strings, words->name);
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
	timeline_builder_begin(0, 10 * S);
	for (uint64_t ms = 0; ms < 10000; ms++)
		timeline_builder_add(ms * MS, leaf_at(ms), MS);
	find();
	assert_int_equal(found.count, 2);
	assert_int_equal(found.words[0].kind, INTERVAL_MIX);
	assert_string_equal(name_of(&found.words[0]), "b");
	assert_int_equal(found.words[0].count, 3);
	assert_within(found.words[0].from_ns, 6100 * MS, 2 * MS);
	assert_within(found.words[0].to_ns, 6300 * MS, 4 * MS);
	assert_true(found.words[0].share > 0.78 && found.words[0].share < 0.82);
	assert_true(fabs(found.words[0].usual - 0.031) < 1e-9);
	assert_string_equal(name_of(&found.words[1]), "d");
	assert_int_equal(found.words[1].count, 1);
	assert_within(found.words[1].from_ns, 1500 * MS, 2 * MS);
}

/* Asleep from 4 to 5 s; five threads at 7.2 s for 80 ms. */
TEST(nearly_no_samples_and_many_are_moments)
{
	const struct interval_words *quiet, *busy;

	timeline_builder_begin(0, 10 * S);
	for (uint64_t ms = 0; ms < 10000; ms++)
		for (unsigned i = 0; i < (ms >= 7200 && ms < 7280 ? 5 : ms / 1000 != 4); i++)
			timeline_builder_add(ms * MS, ms % 3 ? "f" : "g", MS);
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
	timeline_builder_begin(0, 10 * S);
	for (uint64_t ms = 0; ms < 10000; ms++) {
		bool inside = ms >= 1000 && ms % 1000 < 50;

		timeline_builder_add(ms * MS, inside ? "b" : ms % 2 ? "a" : "c", MS);
	}
	find();
	assert_int_equal(found.count, 1);
	assert_int_equal(found.words[0].count, 9);
	assert_within(found.words[0].every_ns, S, MS);
	assert_string_equal(found.words[0].times, "9 times 50 ms, every 1 s");
}

TEST(an_empty_or_endless_axis_has_no_moments)
{
	timeline_builder_begin(S, S);
	find();
	assert_int_equal(found.count, 0);
	for (unsigned i = 0; i < 100; i++)
		timeline_builder_add(S, "f", UINT64_MAX);
	find();
	assert_int_equal(found.count, 0);
	timeline_builder.timeline.end_ns = INT64_MAX;
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
		timeline_builder_begin(0, 10 * S);
		srandom(round + 1);
		for (uint64_t ms = 0; ms < 10000; ms += ms < 5000 ? 8 : 1) {
			char name[] = "function 00";

			name[9] = (char)('0' + random_name() / 10);
			name[10] = (char)('0' + random() % 3);
			timeline_builder_add(ms * MS, name, ms < 5000 ? 8 * MS : MS)->samples =
				ms < 5000 ? 8 : 1;
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
	timeline_builder_add(ms * MS, name, samples)->samples = samples;
}

/* In each tenth moment there are few samples, or one of ten stands for 40; in the others there are
 * `usual` in each millisecond.  Returns how many functions are said to have more than usual. */
static unsigned moments_with_few_samples(unsigned seed, bool heavy, unsigned usual)
{
	unsigned mixed = 0;

	timeline_builder_begin(0, 10 * S);
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
