/* The speedscope file: all frames once, a profile for each counter or thread, and valid JSON for
 * all names. */
#include "runtime/output/formats/speedscope.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define SCHEMA "https://www.speedscope.app/file-format-schema.json"
#define HEAD   "{\"$schema\":\"" SCHEMA "\",\n\"shared\":{\"frames\":["
#define TAIL                                                   \
	"],\n\"name\":\"title\",\n\"activeProfileIndex\":0,\n" \
	"\"exporter\":\"flametrap " FLAMETRAP_VERSION "\"}\n"

struct line {
	const char *frames[4];
	uint64_t value;
};

static struct frame_tree *make(const struct line *lines, size_t count)
{
	struct frame_tree *tree = frame_tree_new();

	for (size_t i = 0; i < count; i++) {
		size_t depth = 0;

		while (depth < 4 && lines[i].frames[depth])
			depth++;
		assert_int_equal(frame_tree_add(tree, lines[i].frames, depth, lines[i].value), 0);
	}
	frame_tree_sort(tree);
	return tree;
}

static void assert_written(const struct speedscope_counter *counters, unsigned count, bool threads,
			   const char *expected)
{
	struct speedscope_options options = { .title = "title", .threads = threads };

	assert_int_equal(speedscope_write(counters, count, &options, written_begin()), 0);
	written_is(expected);
	for (unsigned i = 0; i < count; i++)
		frame_tree_free(counters[i].tree);
}

TEST(each_counter_is_a_profile_over_shared_frames)
{
	const struct line time[] = { { { "app", "main", "f" }, 2000 }, { { "app", "main" }, 1 } };
	const struct line faults[] = { { { "app", "g" }, 7 } };
	const struct speedscope_counter counters[] = {
		{ "task-clock", true, make(time, 2) },
		{ "page-faults", false, make(faults, 1) },
	};

	assert_written(counters, 2, false,
		       HEAD
		       "\n{\"name\":\"app\"},\n{\"name\":\"main\"},\n{\"name\":\"f\"},\n"
		       "{\"name\":\"g\"}]},\n\"profiles\":[\n"
		       "{\"type\":\"sampled\",\"name\":\"task-clock\",\"unit\":\"nanoseconds\","
		       "\"startValue\":0,\"endValue\":2001,\n"
		       "\"samples\":[\n[0,1],\n[0,1,2]],\n\"weights\":[1,2000]},\n"
		       "{\"type\":\"sampled\",\"name\":\"page-faults\",\"unit\":\"none\","
		       "\"startValue\":0,\"endValue\":7,\n"
		       "\"samples\":[\n[0,3]],\n\"weights\":[7]}" TAIL);
}

TEST(each_thread_is_a_profile_when_asked)
{
	const struct line time[] = {
		{ { "app" }, 3 },
		{ { "app", "one/1", "f" }, 4 },
		{ { "app", "two/2", "f" }, 5 },
	};
	const struct speedscope_counter counter = { "c", false, make(time, 3) };

	assert_written(&counter, 1, true,
		       HEAD "\n{\"name\":\"app\"},\n{\"name\":\"one/1\"},\n{\"name\":\"f\"},\n"
			    "{\"name\":\"two/2\"}]},\n\"profiles\":[\n"
			    "{\"type\":\"sampled\",\"name\":\"c: app\",\"unit\":\"none\","
			    "\"startValue\":0,\"endValue\":3,\n\"samples\":[\n[0]],\n"
			    "\"weights\":[3]},\n"
			    "{\"type\":\"sampled\",\"name\":\"c: one/1\",\"unit\":\"none\","
			    "\"startValue\":0,\"endValue\":4,\n\"samples\":[\n[0,1,2]],\n"
			    "\"weights\":[4]},\n"
			    "{\"type\":\"sampled\",\"name\":\"c: two/2\",\"unit\":\"none\","
			    "\"startValue\":0,\"endValue\":5,\n\"samples\":[\n[0,3,2]],\n"
			    "\"weights\":[5]}" TAIL);
}

TEST(names_of_any_bytes_are_json)
{
	const struct line line = { { "a\"\\<\x01\xff"
				     "b" },
				   1 };
	const struct speedscope_counter counter = { "c", false, make(&line, 1) };

	assert_written(&counter, 1, false,
		       HEAD
		       "\n{\"name\":\"a\\u0022\\u005c\\u003c\ufffd\ufffd"
		       "b\"}]},\n"
		       "\"profiles\":[\n{\"type\":\"sampled\",\"name\":\"c\",\"unit\":\"none\","
		       "\"startValue\":0,\"endValue\":1,\n\"samples\":[\n[0]],\n"
		       "\"weights\":[1]}" TAIL);
}

TEST(an_empty_counter_is_left_out_unless_there_is_no_other)
{
	const struct line line = { { "a" }, 1 };
	const struct speedscope_counter two[] = {
		{ "none", false, make(NULL, 0) },
		{ "some", false, make(&line, 1) },
	};
	const struct speedscope_counter empty = { "none", false, make(NULL, 0) };

	assert_written(two, 2, false,
		       HEAD "\n{\"name\":\"a\"}]},\n\"profiles\":[\n"
			    "{\"type\":\"sampled\",\"name\":\"some\",\"unit\":\"none\","
			    "\"startValue\":0,\"endValue\":1,\n\"samples\":[\n[0]],\n"
			    "\"weights\":[1]}" TAIL);
	assert_written(&empty, 1, true,
		       HEAD
		       "]},\n\"profiles\":[\n"
		       "{\"type\":\"sampled\",\"name\":\"none\",\"unit\":\"none\","
		       "\"startValue\":0,\"endValue\":0,\n\"samples\":[],\n\"weights\":[]}" TAIL);
}

TEST(a_full_disk_is_an_error)
{
	const struct line line = { { "a" }, 1 };
	const struct speedscope_counter counter = { "c", false, make(&line, 1) };
	const struct speedscope_options options = { .title = "" };

	assert_int_equal(speedscope_write(&counter, 1, &options, written_full()), -EIO);
	frame_tree_free(counter.tree);
}
