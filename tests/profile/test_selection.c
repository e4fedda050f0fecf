/* Stacks are selected by expressions that any of their frames matches. */
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/analysis/selection.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"

static struct selection *selection;
static char line[256];

UNIT(teardown)
{
	selection_free(selection);
	selection = NULL;
	return 0;
}

static int add(unsigned rule, const char *expression)
{
	return selection_add(&selection, rule, expression, line, sizeof(line));
}

TEST(rules_of_a_name_are_those_of_all_its_expressions)
{
	assert_int_equal(add(SELECTION_FOCUS, "^a+$"), 0);
	assert_int_equal(add(SELECTION_IGNORE, "b|_\\[k\\]$"), 0);
	for (int again = 0; again < 2; again++) { /* the second answer is a remembered one */
		assert_int_equal(selection_match(selection, "aaa"), SELECTION_FOCUS);
		assert_int_equal(selection_match(selection, "aa_[k]"), SELECTION_IGNORE);
		assert_int_equal(selection_match(selection, "cab"), SELECTION_IGNORE);
		assert_int_equal(selection_match(selection, ""), 0);
	}
	assert_true(selection_keeps(selection, SELECTION_FOCUS));
	assert_false(selection_keeps(selection, 0));
	assert_false(selection_keeps(selection, SELECTION_FOCUS | SELECTION_IGNORE));
}

TEST(without_a_focus_all_is_kept_that_is_not_ignored)
{
	assert_int_equal(add(SELECTION_IGNORE, "x"), 0);
	assert_true(selection_keeps(selection, 0));
	assert_false(selection_keeps_path(selection, (const char *const[]){ "a", "xy", "b" }, 3));
	assert_true(selection_keeps_path(selection, (const char *const[]){ "a", "y", "b" }, 3));
}

TEST(a_bad_expression_says_what_is_wrong)
{
	assert_int_equal(add(SELECTION_FOCUS, "a(b"), -EINVAL);
	assert_non_null(strstr(line, "--focus 'a(b' is not an extended regular expression: "));
	assert_int_equal(add(SELECTION_IGNORE, "*["), -EINVAL);
	assert_non_null(strstr(line, "--ignore "));
	selection_free(NULL);
}

TEST(more_names_than_fit_at_first_are_remembered)
{
	char name[32];

	assert_int_equal(add(SELECTION_FOCUS, "7$"), 0);
	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < 5000; i++) {
			snprintf(name, sizeof(name), "function%u", i);
			assert_int_equal(selection_match(selection, name),
					 i % 10 == 7 ? SELECTION_FOCUS : 0);
		}
	}
}

TEST(copied_stacks_keep_their_values)
{
	struct frame_tree *from = folded_text_tree("app;f;g 30\napp;f 4\napp;h 500\n");
	struct frame_tree *to = frame_tree_new(), *all = frame_tree_new();
	assert_int_equal(add(SELECTION_FOCUS, "^f$"), 0);
	assert_int_equal(selection_copy(selection, 0, from, to), 0);
	assert_int_equal(frame_tree_root(to)->total, 34);
	assert_int_equal(folded_text_stacks(to), 2);
	assert_int_equal(selection_copy(NULL, 0, from, all), 0);
	assert_int_equal(frame_tree_root(all)->total, 534);
	frame_tree_free(from);
	frame_tree_free(to);
	frame_tree_free(all);
}
