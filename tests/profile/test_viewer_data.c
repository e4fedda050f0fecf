/* The data of a page has each sample once, and its sums are those of the stacks. */
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/time/timeline.h"
#include "runtime/output/page/viewer_data.h"
#include "runtime/output/page/viewer_parts.h"
#include "tests/support/page_columns.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define SAMPLES_MOST 64

/* Nodes of the profile's tree, in the order in which stacks were added. */
enum { APP = 1, MAIN, WORK, REST };

struct fixture {
	struct profile *profile;
	struct timeline timeline;
	struct timeline_sample samples[SAMPLES_MOST];
	struct timeline_process process;
	struct timeline_track tracks[2];
	struct viewer_data data;
	struct page_columns page;
};

static void add_stack(struct profile *profile, const char *leaf, uint64_t value)
{
	const char *const frames[] = { "app", "main", leaf };
	struct frame_tree *tree = frame_tree_new();

	assert_int_equal(frame_tree_add(tree, frames, 3, value), 0);
	assert_int_equal(profile_add_tree(profile, tree), 0);
	frame_tree_free(tree);
}

int unit_setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct profile_options options = { .threads = SETTINGS_THREADS_MERGE };

	*state = f;
	f->profile = profile_new(&options);
	if (!f->profile)
		return -1;
	add_stack(f->profile, "work", 30);
	add_stack(f->profile, "rest", 12);
	f->timeline = (struct timeline){
		.samples = f->samples,
		.tracks = f->tracks,
		.track_count = 2,
		.processes = &f->process,
		.process_count = 1,
		.zero_realtime_ns = 1700000000123456789,
	};
	return 0;
}

int unit_teardown(void **state)
{
	struct fixture *f = *state;

	page_columns_free(&f->page);
	viewer_data_free(&f->data);
	profile_free(f->profile);
	free(f);
	return 0;
}

static void take(struct fixture *f, uint64_t time_ns, uint32_t node, uint32_t track, uint64_t value)
{
	f->samples[f->timeline.sample_count++] = (struct timeline_sample){
		.time_ns = time_ns,
		.node = node,
		.track = track,
		.samples = value,
		.events = value,
	};
	f->timeline.end_ns = time_ns;
}

/* All that the stacks have: 6 samples of 5 in work(), then 6 of 2 in rest(). */
static void take_all(struct fixture *f)
{
	for (uint64_t i = 0; i < 6; i++)
		take(f, 1000000 * i, WORK, i % 2, 5);
	for (uint64_t i = 6; i < 12; i++)
		take(f, 1000000 * i, REST, i % 2, 2);
}

static void make(struct fixture *f, const struct timeline *timeline)
{
	assert_int_equal(viewer_data_make(&f->data, f->profile, timeline, SETTINGS_WEIGHT_AUTO), 0);
}

static void write_and_read(struct fixture *f)
{
	written_by(viewer_data_write(&f->data, written_begin()));
	assert_true(page_columns_read(&f->page, written.text, written.bytes));
}

static void make_and_read(struct fixture *f, const struct timeline *timeline)
{
	make(f, timeline);
	write_and_read(f);
}

static double value(const struct fixture *f, const char *name, size_t row)
{
	return page_columns_value(&f->page, name, row);
}

static size_t count(const struct fixture *f, const char *name)
{
	char type[8];

	return page_columns_type(&f->page, name, type);
}

static void has_type(const struct fixture *f, const char *name, const char *expected)
{
	char type[8];

	page_columns_type(&f->page, name, type);
	assert_string_equal(type, expected);
}

static bool says(const struct fixture *f, const char *text)
{
	return strstr(f->page.json, text);
}

static double sum(const struct fixture *f, uint32_t node)
{
	double all = 0;

	for (size_t i = 0; i < count(f, "node"); i++)
		if (!node || value(f, "node", i) == node)
			all += value(f, "samples", i);
	return all;
}

TEST_OF(struct fixture *f, each_sample_comes_back)
{
	take_all(f);
	make_and_read(f, &f->timeline);
	assert_int_equal(count(f, "node"), 12);
	for (size_t i = 0; i < 12; i++) {
		assert_true(value(f, "time", i) == (double)(f->samples[i].time_ns >> 8));
		assert_true(value(f, "node", i) == f->samples[i].node);
		assert_true(value(f, "track", i) == f->samples[i].track);
		assert_true(value(f, "samples", i) == (double)f->samples[i].samples);
	}
	assert_true(value(f, "nodeParent", WORK) == MAIN && value(f, "nodeParent", REST) == MAIN);
	assert_true(says(f, "\"names\":[\"all\",\n\"app\",\n\"main\",\n\"work\",\n\"rest\"]"));
	assert_true(
		says(f, "\"realtimeMs\":1700000000123,\"unitNs\":256,\"from\":0,\"to\":42968,"));
}

TEST_OF(struct fixture *f, columns_have_the_first_type_that_holds_their_values)
{
	take(f, 0, WORK, 1, 30);
	take(f, 500, REST, 0, 12);
	f->samples[0].events = 300;
	f->samples[1].samples = 70000;
	make_and_read(f, &f->timeline);
	has_type(f, "node", "u8");
	has_type(f, "samples", "u32");
	has_type(f, "events", "u16");
	has_type(f, "time", "u32d");
	has_type(f, "counter", "");
	has_type(f, "labels", "");
}

TEST_OF(struct fixture *f, large_values_are_real_numbers)
{
	take(f, 0, WORK, 0, UINT64_C(1) << 40);
	take(f, 1, REST, 0, 12);
	make_and_read(f, &f->timeline);
	has_type(f, "samples", "f64");
	assert_true(value(f, "samples", 0) == 0x1p40 && value(f, "samples", 1) == 12);
}

TEST_OF(struct fixture *f, times_of_a_long_run_fit_32_bits)
{
	uint64_t day_ns = UINT64_C(86400000000000);

	take(f, 0, WORK, 0, 30);
	take(f, 30 * day_ns, REST, 0, 12);
	make_and_read(f, &f->timeline);
	assert_true(says(f, "\"unitNs\":1048576,"));
	assert_true(value(f, "time", 1) == (double)(30 * day_ns >> 20));
}

TEST_OF(struct fixture *f, a_sample_that_is_not_selected_is_not_in_the_page)
{
	take_all(f);
	take(f, 20000000, CALL_TREE_ROOT, 0, 100);
	make_and_read(f, &f->timeline);
	assert_int_equal(count(f, "node"), 12);
	assert_true(sum(f, 0) == 42);
}

TEST_OF(struct fixture *f, what_has_no_time_is_in_a_track_of_its_own)
{
	take(f, 5000, WORK, 0, 29);
	f->timeline.partial = true;
	make_and_read(f, &f->timeline);
	assert_true(sum(f, WORK) == 30 && sum(f, REST) == 12);
	assert_true(value(f, "time", 0) == 0 && value(f, "track", 0) == 2);
	assert_true(says(f, "\"name\":\"[without a time]\""));
}

TEST_OF(struct fixture *f, a_profile_without_times_is_at_one_moment)
{
	make_and_read(f, NULL);
	assert_true(sum(f, WORK) == 30 && sum(f, REST) == 12);
	assert_true(says(f, "all samples are at one moment"));
	assert_int_equal(count(f, "track"), 0);
	assert_int_equal(count(f, "time"), 0);
}

TEST_OF(struct fixture *f, a_thinned_timeline_gets_no_samples_without_a_time)
{
	take(f, 5000, WORK, 0, 42);
	f->timeline.thinned = 3;
	make_and_read(f, &f->timeline);
	assert_int_equal(count(f, "node"), 1);
	assert_true(says(f, "\"3 samples were joined with others because the timeline was full"));
}

TEST_OF(struct fixture *f, joining_halves_the_samples_and_keeps_their_sum)
{
	take_all(f);
	make(f, &f->timeline);
	assert_int_equal(viewer_data_halve(&f->data), 0);
	write_and_read(f);
	assert_int_equal(count(f, "node"), 6);
	assert_true(sum(f, 0) == 42);
	assert_true(says(f, "\"6 samples were joined with others to keep this page small"));
	for (size_t i = 1; i < count(f, "time"); i++)
		assert_true(value(f, "time", i) >= value(f, "time", i - 1));
}

TEST_OF(struct fixture *f, joining_keeps_the_tracks_apart)
{
	double of_track = 0;

	take_all(f);
	make(f, &f->timeline);
	assert_int_equal(viewer_data_halve(&f->data), 0);
	write_and_read(f);
	for (size_t i = 0; i < count(f, "node"); i++)
		if (value(f, "track", i) == 1)
			of_track += value(f, "samples", i);
	assert_true(of_track == 3 * 5 + 3 * 2);
}

TEST_OF(struct fixture *f, one_sample_of_each_track_remains_at_last)
{
	int err = 0;

	take_all(f);
	make(f, &f->timeline);
	while (!err)
		err = viewer_data_halve(&f->data);
	assert_int_equal(err, -ENODATA);
	write_and_read(f);
	assert_int_equal(count(f, "node"), 2);
	assert_true(sum(f, 0) == 42);
}

/* The chance to remain is proportional to the value. */
TEST_OF(struct fixture *f, joining_favours_no_stack)
{
	double kept = 0;

	for (uint64_t i = 0; i < 42; i++)
		take(f, 1000000 * i, i % 7 < 5 ? WORK : REST, 0, 1);
	make(f, &f->timeline);
	for (int i = 0; i < 2; i++)
		assert_int_equal(viewer_data_halve(&f->data), 0);
	write_and_read(f);
	kept = sum(f, WORK);
	assert_true(sum(f, 0) == 42 && kept > 15 && kept < 42);
}

TEST_OF(struct fixture *f, the_same_profile_gives_the_same_bytes)
{
	char *first;
	size_t bytes;

	take_all(f);
	make(f, &f->timeline);
	assert_int_equal(viewer_data_halve(&f->data), 0);
	write_and_read(f);
	bytes = written.bytes;
	first = memcpy(malloc(bytes), written.text, bytes);
	page_columns_free(&f->page);
	viewer_data_free(&f->data);
	make(f, &f->timeline);
	assert_int_equal(viewer_data_halve(&f->data), 0);
	write_and_read(f);
	assert_int_equal(written.bytes, bytes);
	assert_memory_equal(written.text, first, bytes);
	free(first);
}
