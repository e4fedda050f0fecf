/* The page of a comparison has room for what matters, and says what it leaves out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compare/changes.h"
#include "runtime/compare/runs.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/output/page/difference_limits.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"

struct sides {
	struct runs *runs;
	struct changes changes;
	struct tree_changes *tree;
};

/* A run with one large function, and many small ones of their own names. */
static struct frame_tree *run_of(const char *side, unsigned small)
{
	struct frame_tree *tree;
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	assert_non_null(file);
	fprintf(file, "app;main;large 1000000\n");
	for (unsigned i = 0; i < small; i++)
		fprintf(file, "app;main;%s%u %u\n", side, i, i % 2 ? 1 : 40);
	fclose(file);
	tree = folded_text_tree(text);
	free(text);
	return tree;
}

static void compare_with(struct sides *sides, struct frame_tree *before, unsigned small)
{
	const struct changes_options options = { .alpha = .01, .least_share = CHANGES_LEAST };

	*sides = (struct sides){ .runs = runs_new(&(struct runs_options){ .outer = 1 }) };
	assert_int_equal(runs_add(sides->runs, RUNS_BEFORE, before, 1), 0);
	assert_int_equal(runs_add(sides->runs, RUNS_AFTER, run_of("new", small), 1), 0);
	assert_int_equal(runs_settle(sides->runs), 0);
	assert_int_equal(changes_make(sides->runs, &options, &sides->changes), 0);
	assert_int_equal(tree_changes_make(sides->runs,
					   &(struct tree_changes_options){ .changes = options },
					   &sides->tree),
			 0);
}

static void compare(struct sides *sides, unsigned small)
{
	compare_with(sides, run_of("old", small), small);
}

static void free_sides(struct sides *sides)
{
	tree_changes_free(sides->tree);
	changes_free(&sides->changes);
	runs_free(sides->runs);
}

static size_t count_functions(const struct sides *sides, const struct difference_limits *limits)
{
	size_t count = 0;

	for (size_t i = 0; i < sides->changes.count; i++)
		count += difference_limits_function(limits, &sides->changes,
						    &sides->changes.functions[i]);
	return count;
}

static size_t count_frames(const struct sides *sides, const struct difference_limits *limits)
{
	const struct frame *at = frame_tree_root(tree_changes_tree(sides->tree));
	size_t count = 0;

	for (; at; at = difference_limits_next(limits, sides->tree, at))
		count++;
	return count;
}

TEST(few_functions_are_all_there)
{
	struct sides sides;
	struct difference_limits limits;
	char text[256];

	compare(&sides, 10);
	limits = difference_limits_find(&sides.changes, sides.tree, 1);
	assert_int_equal(count_functions(&sides, &limits), sides.changes.count);
	difference_limits_tell(&limits, "cycles", text, sizeof(text));
	assert_string_equal(text, "");
	free_sides(&sides);
}

TEST(of_many_the_large_ones_are_there_and_a_sentence_tells)
{
	struct sides sides;
	struct difference_limits limits;
	char text[256];

	compare(&sides, 15000);
	limits = difference_limits_find(&sides.changes, sides.tree, 1);
	assert_true(limits.function > 0 && limits.function < 1e-4);
	assert_int_equal(count_functions(&sides, &limits), 15000 + 2);
	assert_int_equal(count_frames(&sides, &limits), 15000 + 4);
	difference_limits_tell(&limits, "cycles", text, sizeof(text));
	assert_non_null(strstr(text, "cycles has too many stacks for a page: functions below 0.0"));
	assert_non_null(strstr(text, " % of the whole on both sides are left out."));
	free_sides(&sides);
}

TEST(counters_share_the_room)
{
	struct sides sides;
	struct difference_limits limits;

	compare(&sides, 15000);
	limits = difference_limits_find(&sides.changes, sides.tree, 4);
	assert_true(count_functions(&sides, &limits) <= DIFFERENCE_LIMITS_FUNCTIONS / 4);
	assert_true(count_functions(&sides, &limits) >= 2);
	free_sides(&sides);
}

TEST(frames_that_are_left_out_are_told_with_their_share)
{
	struct sides sides;
	struct difference_limits limits;
	char text[256];

	compare(&sides, 60000);
	limits = difference_limits_find(&sides.changes, sides.tree, 1);
	assert_true(count_frames(&sides, &limits) <= DIFFERENCE_LIMITS_FRAMES);
	difference_limits_tell(&limits, "", text, sizeof(text));
	assert_non_null(strstr(text, "Too many stacks for a page: "));
	assert_non_null(strstr(text, ", and frames below 0.001 %, which are 1 % together."));
	free_sides(&sides);
}

TEST(a_side_may_have_nothing)
{
	struct sides sides;
	struct difference_limits limits;

	compare_with(&sides, folded_text_tree(""), 120000);
	limits = difference_limits_find(&sides.changes, sides.tree, 1);
	assert_true(count_functions(&sides, &limits) <= DIFFERENCE_LIMITS_FUNCTIONS);
	assert_true(count_frames(&sides, &limits) <= DIFFERENCE_LIMITS_FRAMES);
	free_sides(&sides);
}
