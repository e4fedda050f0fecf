/* The frames of all runs are one tree, each with its change, and only significant changes are
 * marked. */
#include "runtime/profile/base/maths.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"

static const struct changes_options options = { .alpha = 0.01, .least_share = CHANGES_LEAST };
static const double *used_factors;
static struct runs *runs;
static struct tree_changes *changes;

UNIT(setup)
{
	changes = NULL;
	used_factors = NULL;
	runs = runs_new(&(struct runs_options){ 0 });
	return runs ? 0 : -1;
}

UNIT(teardown)
{
	tree_changes_free(changes);
	runs_free(runs);
	return 0;
}

static void add(enum runs_side side, const char *folded, double per_sample)
{
	assert_int_equal(runs_add(runs, side, folded_text_tree(folded), per_sample), 0);
}

static int make(bool reverse, size_t outer)
{
	int err;

	assert_int_equal(runs_settle(runs), 0);
	err = tree_changes_make(runs,
				&(struct tree_changes_options){ .changes = options,
								.factors = used_factors,
								.reverse = reverse,
								.outer = outer },
				&changes);
	runs_free(runs); /* not needed any more */
	runs = NULL;
	return err;
}

/* The same for one run a side, whatever was compared before. */
static int compare(const char *before, const char *after)
{
	tree_changes_free(changes);
	runs_free(runs);
	unit_setup(NULL);
	add(RUNS_BEFORE, before, 1);
	add(RUNS_AFTER, after, 1);
	return make(false, 0);
}

/* Returns the frame of a stack "app;main;f". */
static const struct frame *find(const char *stack)
{
	const struct frame *frame = frame_tree_root(tree_changes_tree(changes));
	char text[128], *rest = text, *name;

	snprintf(text, sizeof(text), "%s", stack);
	while ((name = strsep(&rest, ";"))) {
		const struct frame *child = frame->first_child;

		while (child && strcmp(child->name, name) != 0)
			child = child->next_sibling;
		if (!child)
			fail_msg("no frame %s", stack);
		else
			frame = child;
	}
	return frame;
}

static void assert_mean(const char *stack, double before, double after)
{
	const struct tree_change *change = tree_changes_of(changes, find(stack));

	assert_true(fabs(change->mean[0] - before) < 1e-9);
	assert_true(fabs(change->mean[1] - after) < 1e-9);
}

static void need_distributions(void)
{
	if (!maths_has_distributions())
		skip();
}

TEST(frames_have_their_means_with_callees)
{
	add(RUNS_BEFORE, "app;main;f 100\napp;main;old 10\n", 1);
	add(RUNS_BEFORE, "app;main;f 120\n", 1);
	add(RUNS_AFTER, "app;main;f 50\napp;main;new 30\n", 1);
	assert_int_equal(make(false, 0), 0);
	assert_mean("app", 115, 80);
	assert_mean("app;main;f", 110, 50);
	assert_mean("app;main;old", 5, 0);
	assert_mean("app;main;new", 0, 30);
	assert_int_equal(find("app;main;old")->total, 0);
	assert_int_equal(find("app;main;new")->total, 30);
	assert_int_equal(find("app")->total, 80);
}

TEST(reversed_stacks_start_at_their_leaves)
{
	add(RUNS_BEFORE, "app;main;f 100\napp;main;g;f 10\n", 1);
	add(RUNS_AFTER, "app;main;f 50\n", 1);
	assert_int_equal(make(true, 1), 0);
	assert_mean("app;f", 110, 50);
	assert_mean("app;f;main", 100, 50);
	assert_mean("app;f;g;main", 10, 0);
	assert_int_equal(find("app;f")->total, 50);
}

/* Ten callees with a mean of 0.3 are 3 wide together. */
TEST(rounding_loses_nothing_of_small_frames)
{
	char line[512] = "";

	for (int i = 0; i < 10; i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "app;%c 3\n", 'a' + i);
	add(RUNS_BEFORE, "app;x 1\n", 1);
	add(RUNS_AFTER, line, 1);
	for (int i = 1; i < 10; i++)
		add(RUNS_AFTER, "app;x 7\n", 1);
	assert_int_equal(make(false, 0), 0);
	assert_mean("app;a", 0, 0.3);
	assert_mean("app;x", 1, 6.3);
	for (const struct frame *frame = frame_tree_root(tree_changes_tree(changes)); frame;
	     frame = frame_tree_next(frame)) {
		uint64_t sum = frame->self;

		for (const struct frame *child = frame->first_child; child;
		     child = child->next_sibling)
			sum += child->total;
		assert_int_equal(frame->total, sum);
		assert_true(fabs((double)frame->total - tree_changes_of(changes, frame)->mean[1]) <
			    1);
	}
	assert_int_equal(find("app")->total, 9);
}

/* Runs whose values vary by 1 in 1000. */
static void add_runs(enum runs_side side, int f, int g)
{
	char line[128];

	for (int i = 0; i < 6; i++) {
		snprintf(line, sizeof(line), "app;main;f %d\napp;main;g %d\napp;tiny %d\n",
			 f + i % 3, g + i % 2, 1 + 2 * (side == RUNS_AFTER));
		add(side, line, 0);
	}
}

TEST(only_sure_changes_are_marked)
{
	need_distributions();
	add_runs(RUNS_BEFORE, 10000, 10000);
	add_runs(RUNS_AFTER, 10100, 10000);
	assert_int_equal(make(false, 0), 0);
	assert_true(tree_changes_of(changes, find("app;main;f"))->significant);
	assert_true(tree_changes_of(changes, find("app;main"))->significant);
	assert_true(tree_changes_of(changes, find("app"))->significant);
	assert_false(tree_changes_of(changes, find("app;main;g"))->significant);
	assert_true(tree_changes_of(changes, find("app;main;f"))->low > 90);
	assert_true(tree_changes_of(changes, find("app;main;f"))->high < 110);
	assert_true(fabs(tree_changes_most(changes) - 102) < 1e-9);
}

TEST(frames_that_are_too_small_take_no_part)
{
	const struct tree_change *tiny;

	add_runs(RUNS_BEFORE, 10000, 10000);
	add_runs(RUNS_AFTER, 10000, 10000);
	assert_int_equal(make(false, 0), 0);
	tiny = tree_changes_of(changes, find("app;tiny"));
	assert_false(tiny->tested);
	assert_false(tiny->significant);
	assert_true(isnan(tiny->low) && isnan(tiny->high));
	assert_true(tree_changes_of(changes, find("app;main;g"))->tested);
	assert_true(tree_changes_most(changes) <= 0);
}

TEST(one_run_a_side_has_the_chance_of_sampling)
{
	need_distributions();
	assert_int_equal(compare("app;f 1000\napp;g 1000\n", "app;f 1300\napp;g 1030\n"), 0);
	assert_true(tree_changes_of(changes, find("app;f"))->significant);
	assert_false(tree_changes_of(changes, find("app;g"))->significant);
}

TEST(frames_are_at_the_pace_that_is_given)
{
	static const double factors[] = { 1, 2, 0.5, 1 };

	used_factors = factors;
	add(RUNS_BEFORE, "app;f 1000\napp;g 3000\n", 1);
	add(RUNS_BEFORE, "app;f 2000\napp;g 6000\n", 1);
	add(RUNS_AFTER, "app;f 600\napp;g 1500\n", 1);
	add(RUNS_AFTER, "app;f 1200\napp;g 3000\n", 1);
	assert_int_equal(make(false, 0), 0);
	assert_mean("app;f", 1000, 1200);
	assert_mean("app;g", 3000, 3000);
	assert_mean("app", 4000, 4200);
	assert_int_equal(find("app;f")->total, 1200);
	assert_int_equal(frame_tree_root(tree_changes_tree(changes))->total, 4200);
}

TEST(a_side_without_runs_cannot_be_compared)
{
	add(RUNS_BEFORE, "app;f 1000\n", 1);
	assert_int_equal(make(false, 0), -ENODATA);
	assert_null(changes);
}

TEST(one_side_may_have_nothing_but_not_both)
{
	assert_int_equal(compare("app;[preempted] 1000\n", "app;[preempted] 1000\n"), -ENODATA);
	assert_int_equal(compare("app;f 1000\n", "\n"), 0);
	assert_mean("app;f", 1000, 0);
	assert_int_equal(compare("app;f 1000\n", "app;f;[preempted] 1\n"), 0);
	assert_mean("app;f", 1000, 0);
	assert_int_equal(find("app")->total, 0);
}
