/* The callers of a function add up to its total, and so do the function itself and its callees,
 * with and without recursion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/tree/frame_tree.h"
#include "runtime/output/report/callers.h"
#include "tests/support/unit.h"

#define ADD(tree, value, ...)                                      \
	frame_tree_add(tree, (const char *const[]){ __VA_ARGS__ }, \
		       sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), value)

static uint64_t value_of(struct frame_tree *list, const char *name)
{
	const struct frame *frame = frame_tree_root(list)->first_child;

	while (frame && strcmp(frame->name, name) != 0)
		frame = frame->next_sibling;
	return frame ? frame->total : 0;
}

static size_t count_of(struct frame_tree *list)
{
	size_t count = 0;

	for (const struct frame *frame = frame_tree_root(list)->first_child; frame;
	     frame = frame->next_sibling)
		count++;
	return count;
}

TEST(outermost_frames_have_callers_and_innermost_have_callees)
{
	struct frame_tree *tree = frame_tree_new();
	struct callers found;

	ADD(tree, 1, "cmd", "main", "f", "g", "f", "h", "i");
	ADD(tree, 2, "cmd", "main", "g", "f");
	ADD(tree, 4, "cmd", "main", "f", "f", "g");
	ADD(tree, 8, "cmd", "f", "h");
	ADD(tree, 16, "f", "main", "h");
	assert_int_equal(callers_find(tree, "f", &found), 0);
	assert_int_equal(found.total, 15);
	assert_int_equal(found.self, 2);
	assert_int_equal(count_of(found.callers), 3);
	assert_string_equal(frame_tree_root(found.callers)->first_child->name, "cmd");
	assert_int_equal(value_of(found.callers, "cmd"), 8);
	assert_int_equal(value_of(found.callers, "main"), 5);
	assert_int_equal(value_of(found.callers, "g"), 2);
	assert_int_equal(count_of(found.callees), 2);
	assert_int_equal(value_of(found.callees, "h"), 9);
	assert_int_equal(value_of(found.callees, "g"), 4);
	callers_free(&found);
	frame_tree_free(tree);
}

TEST(a_pattern_takes_several_functions_for_one)
{
	struct frame_tree *tree = frame_tree_new();
	struct callers found;

	ADD(tree, 3, "cmd", "main", "str_one", "str_two", "leaf");
	ADD(tree, 5, "cmd", "main", "str_two");
	assert_int_equal(callers_find(tree, "str_*", &found), 0);
	assert_int_equal(found.total, 8);
	assert_int_equal(found.self, 5);
	assert_int_equal(value_of(found.callers, "main"), 8);
	assert_int_equal(value_of(found.callees, "leaf"), 3);
	callers_free(&found);
	frame_tree_free(tree);
}

TEST(parts_of_names_mean_the_function_if_no_whole_name_is_the_same)
{
	struct frame_tree *tree = frame_tree_new();
	struct callers found;

	ADD(tree, 3, "cmd", "main", "app::nearest<int>", "leaf");
	ADD(tree, 4, "nearest", "main", "script.far_[p]", "leaf");
	assert_int_equal(callers_find(tree, "nearest", &found), 0);
	assert_int_equal(found.total, 3);
	callers_free(&found);
	assert_int_equal(callers_find(tree, "far", &found), 0);
	assert_int_equal(found.total, 4);
	callers_free(&found);
	ADD(tree, 5, "cmd", "main", "nearest", "leaf");
	assert_int_equal(callers_find(tree, "nearest", &found), 0);
	assert_int_equal(found.total, 5);
	callers_free(&found);
	frame_tree_free(tree);
}

TEST(names_that_are_broken_patterns_are_names)
{
	struct frame_tree *tree = frame_tree_new();
	struct callers found;

	ADD(tree, 3, "cmd", "operator/", "operator[");
	assert_int_equal(callers_find(tree, "operator[", &found), 0);
	callers_free(&found);
	assert_int_equal(callers_find(tree, "operator/", &found), 0);
	callers_free(&found);
	frame_tree_free(tree);
}

TEST(a_function_that_is_not_there_has_no_total)
{
	struct frame_tree *tree = frame_tree_new();
	struct callers found;

	assert_int_equal(callers_find(tree, "f", &found), 0);
	assert_int_equal(found.total, 0);
	callers_free(&found);
	ADD(tree, 3, "cmd", "main");
	assert_int_equal(callers_find(tree, "f", &found), 0);
	assert_int_equal(found.total, 0);
	callers_free(&found);
	assert_int_equal(callers_find(tree, "cmd", &found), 0);
	assert_int_equal(found.total, 0);
	callers_free(&found);
	frame_tree_free(tree);
}

/* Against the definition, for random stacks over few names. */
TEST(sums_are_those_of_the_definition)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	uint64_t caller[5] = { 0 };
	uint64_t callee[4] = { 0 };
	uint64_t self = 0;
	struct frame_tree *tree = frame_tree_new();
	struct callers found;

	srandom(5);
	for (unsigned round = 1; round < 3000; round++) {
		const char *frames[10] = { "cmd" };
		unsigned name[10] = { 4 };
		unsigned depth = 2 + (unsigned)random() % 8;
		unsigned first = 0;
		unsigned last = 0;

		for (unsigned i = 1; i < depth; i++) {
			name[i] = (unsigned)random() % 4;
			frames[i] = names[name[i]];
			first = !first && !name[i] ? i : first;
			last = !name[i] ? i : last;
		}
		assert_int_equal(frame_tree_add(tree, frames, depth, round), 0);
		if (!first)
			continue;
		caller[name[first - 1]] += round;
		if (last == depth - 1)
			self += round;
		else
			callee[name[last + 1]] += round;
	}
	assert_int_equal(callers_find(tree, "a", &found), 0);
	assert_int_equal(found.self, self);
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(value_of(found.callers, names[i]), caller[i]);
		assert_int_equal(value_of(found.callees, names[i]), callee[i]);
	}
	assert_int_equal(value_of(found.callers, "cmd"), caller[4]);
	assert_int_equal(found.total, caller[1] + caller[2] + caller[3] + caller[4]);
	assert_int_equal(found.total, callee[1] + callee[2] + callee[3] + self);
	callers_free(&found);
	frame_tree_free(tree);
}
