/* The speedscope file: all frames once, a profile for each counter or thread, and valid JSON for
 * all names.  gperftools' profile: names in front as text, then words, leaf first, whatever the
 * names hold. */
#include "runtime/output/formats/gperftools.h"
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

static void add(struct frame_tree *tree, const char *leaf, uint64_t value)
{
	const char *frames[] = { "app", "main", leaf };

	assert_int_equal(frame_tree_add(tree, frames, leaf ? 3 : 2, value), 0);
}

static void assert_words(struct frame_tree *tree, const char *program, uint64_t period_us,
			 const char *text, const uint64_t *words, size_t count)
{
	frame_tree_sort(tree);
	written_by(gperftools_write(tree, program, period_us, written_begin()));
	assert_int_equal(written.bytes, strlen(text) + count * sizeof(*words));
	assert_memory_equal(written.text, text, strlen(text));
	assert_memory_equal(written.text + strlen(text), words, count * sizeof(*words));
	frame_tree_free(tree);
}

TEST(stacks_are_numbers_of_names_leaf_first)
{
	const uint64_t words[] = { 0, 3, 0, 1001, 0, 0, 1, 1, 5, 2, 2, 1, 7, 3, 3, 2, 1, 0, 1, 0 };
	struct frame_tree *tree = frame_tree_new();

	add(tree, "f", 7);
	add(tree, NULL, 5);
	assert_words(tree, "/bin/app", 1001,
		     "--- symbol\nbinary=/bin/app\n0x0000000000000001 app\n"
		     "0x0000000000000002 main\n0x0000000000000003 f\n---\n--- profile\n",
		     words, sizeof(words) / sizeof(words[0]));
}

TEST(names_cannot_be_taken_for_marks)
{
	const uint64_t words[] = { 0, 3, 0, 0, 0, 0, 1, 1, 1, 3, 3, 2, 1, 1, 3, 4, 2, 1, 0, 1, 0 };
	struct frame_tree *tree = frame_tree_new();

	add(tree, "operator--", 1);
	add(tree, "a\nb---\xff", 1);
	assert_words(tree, "", 0,
		     "--- symbol\n0x0000000000000001 app\n0x0000000000000002 main\n"
		     "0x0000000000000003 a\xef\xbf\xbd"
		     "b- - -\xef\xbf\xbd\n"
		     "0x0000000000000004 operator- -\n---\n--- profile\n",
		     words, sizeof(words) / sizeof(words[0]));
}

TEST(an_empty_profile_is_one)
{
	const uint64_t words[] = { 0, 3, 0, 0, 0, 0, 1, 0 };

	assert_words(frame_tree_new(), "", 0, "--- symbol\n---\n--- profile\n", words,
		     sizeof(words) / sizeof(words[0]));
}
