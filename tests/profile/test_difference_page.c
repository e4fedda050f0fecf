/* The page of a comparison: its data hold all counters, measures and frames, names stay names,
 * there is room for what matters, and it says what it leaves out. */
#include "runtime/compare/changes.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/output/page/difference_draw.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define RUNS 3

static struct runs *runs;
static struct comparison comparison;
static struct changes changes;
static struct tree_changes *tree;
static struct difference_limits limits;
static char told[256]; /* of them */

UNIT(teardown)
{
	tree_changes_free(tree);
	tree = NULL;
	changes_free(&changes);
	comparison_free(&comparison);
	runs_free(runs);
	runs = NULL;
	return 0;
}

/* Some runs a side, with one function that grows. */
static void compare(const char *label)
{
	runs = runs_new(&(struct runs_options){ .outer = 1 });
	comparison = (struct comparison){ .label = { "old", label },
					  .runs = { RUNS, RUNS },
					  .alpha = .01 };
	for (int i = 0; i < RUNS; i++) {
		char text[128];

		snprintf(text, sizeof(text), "app;main;f %d\napp;main;</script> 400\n", 9000 + i);
		folded_text_add(runs, RUNS_BEFORE, text);
		snprintf(text, sizeof(text), "app;main;f %d\napp;main;<b> 100\n", 12000 + i);
		folded_text_add(runs, RUNS_AFTER, text);
	}
	assert_int_equal(runs_settle(runs), 0);
	assert_int_equal(comparison_add_runs(&comparison, "cycles", "samples", runs), 0);
}

static void add_wall(void)
{
	struct comparison_measure *wall = comparison_add_measure(&comparison, "wall", "ns");

	assert_non_null(wall);
	for (int side = 0; side < 2; side++) {
		wall->value[side] = calloc(RUNS, sizeof(double));
		for (int i = 0; i < RUNS; i++)
			wall->value[side][i] = 1e9 + 2e8 * side + i;
	}
	assert_int_equal(comparison_judge(&comparison), 0);
}

static void write_json(void)
{
	written_by(difference_json(&comparison, NULL, written_begin()));
}

TEST(every_run_of_a_measure_is_there)
{
	compare("new");
	add_wall();
	write_json();
	wrote("\"runs\":[[1000000000,1000000001,1000000002],"
	      "[1200000000,1200000001,1200000002]]");
	wrote("\"verdict\":[\"wall rose by ");
	wrote("\"labels\":[\"old\",\"new\"]");
	wrote("\"confidence\":99");
}

TEST(without_measures_the_verdict_is_that_of_the_counters)
{
	compare("new");
	write_json();
	wrote("\"verdict\":[\"cycles rose by ");
	wrote("\"measures\":[]");
}

TEST(what_is_not_known_is_null)
{
	compare("new");
	comparison.counters[0].changes.normalized.change.low = -(double)INFINITY;
	comparison.counters[0].changes.normalized.change.high = (double)NAN;
	write_json();
	wrote(",null,null,");
}

TEST(one_pace_is_a_note)
{
	double factors[2 * RUNS] = { 0.8, 1, 1.2, 0.8, 1, 1.2 };
	struct speed_factor *speed;

	compare("new");
	write_json();
	wrote_not("normalized");
	speed = &comparison.counters[0].changes.speed;
	*speed = (struct speed_factor){ .of_run = factors, .slowest = 1.5 };
	comparison.counters[0].changes.normalized.change.mean[1] = 12102;
	write_json();
	wrote("\"whole\":[9401,12102,");
	wrote("\"notes\":[\"Functions of cycles are compared normalized: alike in all of "
	      "them, runs took up to 1.5 times as long as others. What changed all functions "
	      "alike shows in the whole only.\"");
	speed->of_run = NULL;
}

TEST(names_stay_names)
{
	compare("</script><script>alert(1)</script>");
	assert_int_equal(comparison_note(&comparison, "%s", "<!-- \xff & \"x\""), 0);
	write_json();
	assert_null(strpbrk(written.text, "<>&"));
}

TEST(a_full_device_is_reported)
{
	const struct difference_draw draw = { .comparison = &comparison };

	compare("new");
	assert_int_equal(difference_draw_page(&draw, written_full()), -EIO);
}

TEST(the_ending_asks_for_a_page)
{
	assert_true(difference_draw_is_page("a.b/x.html"));
	assert_false(difference_draw_is_page("x.html.svg"));
	assert_false(difference_draw_is_page("html"));
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
static void find_limits(unsigned before, unsigned after, unsigned counters)
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
	find_limits(10, 10, 1);
	assert_int_equal(count_functions(), changes.count);
	difference_limits_tell(&limits, "cycles", told, sizeof(told));
	assert_string_equal(told, "");
}

TEST(of_many_the_large_ones_are_there_and_a_sentence_tells)
{
	find_limits(15000, 15000, 1);
	assert_true(limits.function > 0 && limits.function < 1e-4);
	assert_int_equal(count_functions(), 15000 + 2);
	assert_int_equal(count_frames(), 15000 + 4);
	difference_limits_tell(&limits, "cycles", told, sizeof(told));
	holds(told, "cycles has too many stacks for a page: functions below 0.0");
	holds(told, " % of the whole on both sides are left out.");
}

TEST(counters_share_the_room)
{
	find_limits(15000, 15000, 4);
	assert_true(count_functions() <= DIFFERENCE_LIMITS_FUNCTIONS / 4);
	assert_true(count_functions() >= 2);
}

TEST(frames_that_are_left_out_are_told_with_their_share)
{
	find_limits(60000, 60000, 1);
	assert_true(count_frames() <= DIFFERENCE_LIMITS_FRAMES);
	difference_limits_tell(&limits, "", told, sizeof(told));
	holds(told, "Too many stacks for a page: ");
	holds(told, ", and frames below 0.001 %, which are 1 % together.");
}

TEST(a_side_may_have_nothing)
{
	find_limits(0, 120000, 1);
	assert_true(count_functions() <= DIFFERENCE_LIMITS_FUNCTIONS);
	assert_true(count_frames() <= DIFFERENCE_LIMITS_FRAMES);
}
