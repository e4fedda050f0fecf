/* gperftools' profile: names in front as text, then words, leaf first, whatever the names hold. */
#include "runtime/output/formats/gperftools.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static void add(struct frame_tree *tree, const char *leaf, uint64_t value)
{
	const char *frames[] = { "app", "main", leaf };

	assert_int_equal(frame_tree_add(tree, frames, leaf ? 3 : 2, value), 0);
}

static void assert_written(struct frame_tree *tree, const char *program, uint64_t period_us,
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
	assert_written(tree, "/bin/app", 1001,
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
	assert_written(tree, "", 0,
		       "--- symbol\n0x0000000000000001 app\n0x0000000000000002 main\n"
		       "0x0000000000000003 a\xef\xbf\xbd"
		       "b- - -\xef\xbf\xbd\n"
		       "0x0000000000000004 operator- -\n---\n--- profile\n",
		       words, sizeof(words) / sizeof(words[0]));
}

TEST(an_empty_profile_is_one)
{
	const uint64_t words[] = { 0, 3, 0, 0, 0, 0, 1, 0 };

	assert_written(frame_tree_new(), "", 0, "--- symbol\n---\n--- profile\n", words,
		       sizeof(words) / sizeof(words[0]));
}
