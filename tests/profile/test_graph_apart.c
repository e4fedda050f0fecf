/* Frames below [off-CPU], and no others, are distinguished by name. */
#include "runtime/output/graph/graph_picture.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/unit.h"

static void add(struct frame_tree *tree, const char *const *frames, size_t depth, uint64_t value)
{
	assert_int_equal(frame_tree_add(tree, frames, depth, value), 0);
}

TEST(code_that_waits_is_told_by_a_suffix)
{
	static const char *const off[] = { "app",	"[off-CPU]", "main",
					   "mod.f_[p]", "read_[k]",  "[preempted]" };
	static const char *const on[] = { "app", "[on-CPU]", "main", "mod.f_[p]" };
	static const char *const expected[] = { "app",	     "[off-CPU]", "main_[o]",
						"mod.f_[o]", "read_[k]",  "[preempted]",
						"[on-CPU]",  "main",	  "mod.f_[p]" };
	struct frame_tree *tree = frame_tree_new();
	struct frame *frame;
	struct frame_tree *apart;
	size_t seen = 0;

	add(tree, off, 6, 30);
	add(tree, off, 3, 5);
	add(tree, on, 4, 7);
	frame_tree_sort(tree);
	assert_int_equal(graph_apart(tree, &apart), 0);
	assert_non_null(apart);
	assert_int_equal(frame_tree_root(apart)->total, 42);
	for (frame = frame_tree_next(frame_tree_root(apart)); frame; frame = frame_tree_next(frame))
		assert_string_equal(frame->name, expected[seen++]);
	assert_int_equal(seen, 9);
	frame_tree_free(apart);
	frame_tree_free(tree);
}

TEST(stacks_without_waiting_stay_as_they_are)
{
	static const char *const frames[] = { "app", "main", "off-CPU" };
	struct frame_tree *tree = frame_tree_new();
	struct frame_tree *apart;

	assert_int_equal(graph_apart(tree, &apart), 0);
	assert_null(apart);
	add(tree, frames, 3, 1);
	frame_tree_sort(tree);
	assert_int_equal(graph_apart(tree, &apart), 0);
	assert_null(apart);
	frame_tree_free(tree);
}
