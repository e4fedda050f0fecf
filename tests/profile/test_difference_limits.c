/* The page of a comparison has room for what matters, and says what it leaves out. */
#include "runtime/compare/changes.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/output/page/difference_draw.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static struct runs *runs;
static struct changes changes;
static struct tree_changes *tree;
static struct difference_limits limits;

UNIT(teardown)
{
	tree_changes_free(tree);
	changes_free(&changes);
	runs_free(runs);
	return 0;
}

/* A run with one large function, and many small ones of their own names. */
static const char *run_of(const char *side, unsigned small)
{
	FILE *file = written_begin();

	fprintf(file, "app;main;large 1000000\n");
	for (unsigned i = 0; i < small; i++)
		fprintf(file, "app;main;%s%u %u\n", side, i, i % 2 ? 1 : 40);
	written_end();
	return written.text;
}

/* Find the limits of one of so many counters, whose runs have so many small functions. */
static void compare(unsigned before, unsigned after, unsigned counters)
{
	const struct changes_options options = { .alpha = .01, .least_share = CHANGES_LEAST };

	runs = runs_new(&(struct runs_options){ .outer = 1 });
	folded_text_add(runs, RUNS_BEFORE, before ? run_of("old", before) : "");
	folded_text_add(runs, RUNS_AFTER, run_of("new", after));
	assert_int_equal(runs_settle(runs), 0);
	assert_int_equal(changes_make(runs, &options, &changes), 0);
	assert_int_equal(tree_changes_make(runs,
					   &(struct tree_changes_options){ .changes = options },
					   &tree),
			 0);
	limits = difference_limits_find(&changes, tree, counters);
}

static size_t count_functions(void)
{
	size_t count = 0;

	for (size_t i = 0; i < changes.count; i++)
		count += difference_limits_function(&limits, &changes, &changes.functions[i]);
	return count;
}

static size_t count_frames(void)
{
	const struct frame *at = frame_tree_root(tree_changes_tree(tree));
	size_t count = 0;

	for (; at; at = difference_limits_next(&limits, tree, at))
		count++;
	return count;
}

TEST(few_functions_are_all_there)
{
	char text[256];

	compare(10, 10, 1);
	assert_int_equal(count_functions(), changes.count);
	difference_limits_tell(&limits, "cycles", text, sizeof(text));
	assert_string_equal(text, "");
}

TEST(of_many_the_large_ones_are_there_and_a_sentence_tells)
{
	char text[256];

	compare(15000, 15000, 1);
	assert_true(limits.function > 0 && limits.function < 1e-4);
	assert_int_equal(count_functions(), 15000 + 2);
	assert_int_equal(count_frames(), 15000 + 4);
	difference_limits_tell(&limits, "cycles", text, sizeof(text));
	assert_non_null(strstr(text, "cycles has too many stacks for a page: functions below 0.0"));
	assert_non_null(strstr(text, " % of the whole on both sides are left out."));
}

TEST(counters_share_the_room)
{
	compare(15000, 15000, 4);
	assert_true(count_functions() <= DIFFERENCE_LIMITS_FUNCTIONS / 4);
	assert_true(count_functions() >= 2);
}

TEST(frames_that_are_left_out_are_told_with_their_share)
{
	char text[256];

	compare(60000, 60000, 1);
	assert_true(count_frames() <= DIFFERENCE_LIMITS_FRAMES);
	difference_limits_tell(&limits, "", text, sizeof(text));
	assert_non_null(strstr(text, "Too many stacks for a page: "));
	assert_non_null(strstr(text, ", and frames below 0.001 %, which are 1 % together."));
}

TEST(a_side_may_have_nothing)
{
	compare(0, 120000, 1);
	assert_true(count_functions() <= DIFFERENCE_LIMITS_FUNCTIONS);
	assert_true(count_frames() <= DIFFERENCE_LIMITS_FRAMES);
}
