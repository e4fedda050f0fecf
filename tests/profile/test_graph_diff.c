/* The picture of a comparison: both sides and the interval of every frame, and colours only where a
 * change is significant. */
#include "runtime/compare/changes.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/output/graph/graph.h"
#include "runtime/output/graph/graph_diff.h"
#include "runtime/output/graph/graph_layout.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define ALPHA .01

static struct runs *runs;
static struct tree_changes *changes;

UNIT(teardown)
{
	tree_changes_free(changes);
	runs_free(runs);
	return 0;
}

/* Compare runs of the two sides, as folded text, one run each. */
static void compare(const char *before, const char *after)
{
	const struct tree_changes_options options = { .changes = { .alpha = ALPHA,
								   .least_share = CHANGES_LEAST } };

	runs = runs_new(&(struct runs_options){ .outer = 0 });
	assert_non_null(runs);
	folded_text_add(runs, RUNS_BEFORE, before);
	folded_text_add(runs, RUNS_AFTER, after);
	assert_int_equal(runs_settle(runs), 0);
	assert_int_equal(tree_changes_make(runs, &options, &changes), 0);
}

static void draw(const char *before, const char *after, double alpha)
{
	struct graph_options options = { .title = "diff" };

	compare(before, after);
	written_by(graph_write_diff(changes, alpha, &options, written_begin()));
}

TEST(a_frame_tells_both_sides_the_change_and_its_interval)
{
	draw("a;x 5000\na;y 5000\n", "a;x 7500\na;y 2500\n", ALPHA);
	wrote("<title>x (before 5,000 samples, 50.00%; after 7,500 samples, 75.00%; change "
	      "+2,500 samples, +50.00%, 99% interval +2,");
	wrote("<title>y (before 5,000 samples, 50.00%; after 2,500 samples, 25.00%; change "
	      "-2,500 samples, -50.00%, 99% interval -2,");
	holds(strstr(written.text, "<title>x ("), ")</title><rect class=\"r8\"");
	holds(strstr(written.text, "<title>y ("), ")</title><rect class=\"b8\"");
}

TEST(a_change_that_is_not_sure_is_grey_and_says_so)
{
	draw("a;x 50\na;y 5000\n", "a;x 55\na;y 5000\n", ALPHA);
	wrote(" samples, not significant)</title><rect class=\"w0\"");
	wrote_not("</title><rect class=\"r");
	wrote("not significant at 99% confidence");
}

TEST(without_intervals_the_legend_says_that_nothing_is_sure)
{
	draw("a;x 50\n", "a;x 50\n", 0);
	wrote("not significant: intervals are not known");
	wrote_not("99% interval");
}

TEST(frames_that_are_gone_are_in_the_picture_of_the_side_before)
{
	draw("a;x 5000\na;y 5000\n", "a;y 5000\na;z 4000\n", ALPHA);
	wrote("1 frame is gone: choose widths: before");
	wrote("\"counter\":\"widths: after\"");
	holds(strstr(written.text, "\"counter\":\"widths: before\""), "\"x\"");
	wrote_not("<title>x (");
	wrote("change +4,000 samples, new");
}

TEST(names_stay_names)
{
	draw("a;<script>alert(1)</script> 1\n", "a;]]></metadata> 1\n", ALPHA);
	wrote_not("<script>alert");
	wrote_not("]]></metadata>");
}

/* What the walk visits lies within what it visited above. */
struct seen {
	uint64_t end[8];
	unsigned frames;
};

static int check(const struct graph_place *place, void *context)
{
	struct seen *seen = context;

	assert_non_null(place->change);
	if (place->level)
		assert_true(place->left + place->value <= seen->end[place->level - 1]);
	seen->end[place->level] = place->left + place->value;
	seen->frames++;
	return 0;
}

TEST(widths_of_either_side_lie_inside_their_parents)
{
	struct seen seen = { .frames = 0 };
	struct graph_diff diff;

	compare("a;b;c 3\na;b;d 4\na;e 5\nf 6\na 7\n", "a;b;c 1\na;g 5\nf 2\n");
	diff = (struct graph_diff){ .changes = changes, .side = RUNS_AFTER };
	assert_int_equal(graph_layout_walk(tree_changes_tree(changes), NULL, &diff, 1, check,
					   &seen),
			 0);
	assert_int_equal(seen.frames, 6);
	assert_int_equal(seen.end[0], 8);
	seen.frames = 0;
	diff.side = RUNS_BEFORE;
	assert_int_equal(graph_layout_walk(tree_changes_tree(changes), NULL, &diff, 1, check,
					   &seen),
			 0);
	assert_int_equal(seen.frames, 7);
	assert_int_equal(seen.end[0], 25);
}

TEST(a_full_device_is_reported)
{
	struct graph_options options = { .title = NULL };

	compare("a;b 1\n", "a;b 2\n");
	assert_int_equal(graph_write_diff(changes, ALPHA, &options, written_full()), -EIO);
}
