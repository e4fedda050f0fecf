/* The callers of a function add up to its total, and so do the function itself and its callees,
 * with and without recursion. */
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/output/report/report.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static struct frame_tree *tree;
static struct callers found;

UNIT(teardown)
{
	callers_free(&found);
	frame_tree_free(tree);
	tree = NULL;
	return 0;
}

static void stacks(const char *folded)
{
	frame_tree_free(tree);
	tree = folded_text_tree(folded);
}

static void find(const char *pattern)
{
	callers_free(&found);
	assert_int_equal(callers_find(tree, pattern, &found), 0);
}

static void assert_total(const char *pattern, uint64_t total)
{
	find(pattern);
	assert_int_equal(found.total, total);
}

static uint64_t value_of(struct frame_tree *list, const char *name)
{
	const struct frame *frame = frame_tree_root(list)->first_child;

	while (frame && strcmp(frame->name, name) != 0)
		frame = frame->next_sibling;
	return frame ? frame->total : 0;
}

/* These are all of a list. */
static void lists(struct frame_tree *list, const char *folded)
{
	folded_text_write(list);
	written_is(folded);
}

TEST(outermost_frames_have_callers_and_innermost_have_callees)
{
	stacks("cmd;main;f;g;f;h;i 1\ncmd;main;g;f 2\ncmd;main;f;f;g 4\ncmd;f;h 8\nf;main;h 16\n");
	assert_total("f", 15);
	assert_int_equal(found.self, 2);
	lists(found.callers, "cmd 8\nmain 5\ng 2\n");
	lists(found.callees, "h 9\ng 4\n");
}

TEST(a_name_means_functions_as_a_report_prints_them)
{
	/* a pattern takes several functions for one */
	stacks("cmd;main;str_one;str_two;leaf 3\ncmd;main;str_two 5\n");
	assert_total("str_*", 8);
	assert_int_equal(found.self, 5);
	lists(found.callers, "main 8\n");
	lists(found.callees, "leaf 3\n");
	/* parts of names mean the function if no whole name is the same */
	stacks("cmd;main;app::nearest<int>;leaf 3\nnearest;main;script.far_[p];leaf 4\n");
	assert_total("nearest", 3);
	assert_total("far", 4);
	stacks("cmd;main;app::nearest<int>;leaf 3\ncmd;main;nearest;leaf 5\n");
	assert_total("nearest", 5);
	/* names that are broken patterns are names */
	stacks("cmd;operator/;operator[ 3\n");
	find("operator[");
	find("operator/");
	/* a function that is not there has no total */
	stacks("");
	assert_total("f", 0);
	stacks("cmd;main 3\n");
	assert_total("f", 0);
	assert_total("cmd", 0);
}

/* Against the definition, for random stacks over few names. */
TEST(sums_are_those_of_the_definition)
{
	static const char *const names[] = { "a", "b", "c", "d" };
	uint64_t caller[5] = { 0 };
	uint64_t callee[4] = { 0 };
	uint64_t self = 0;
	stacks("");
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
	find("a");
	assert_int_equal(found.self, self);
	for (unsigned i = 1; i < 4; i++) {
		assert_int_equal(value_of(found.callers, names[i]), caller[i]);
		assert_int_equal(value_of(found.callees, names[i]), callee[i]);
	}
	assert_int_equal(value_of(found.callers, "cmd"), caller[4]);
	assert_int_equal(found.total, caller[1] + caller[2] + caller[3] + caller[4]);
	assert_int_equal(found.total, callee[1] + callee[2] + callee[3] + self);
}
