/* The picture of a comparison: both sides and the interval of every frame, and colours only where a
 * change is significant. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compare/changes.h"
#include "runtime/compare/runs.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/output/graph/graph.h"
#include "runtime/output/graph/graph_diff.h"
#include "runtime/output/graph/graph_layout.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define ALPHA .01

struct sides {
	struct runs *runs;
	struct tree_changes *changes;
};

/* Runs of the two sides, as folded text, one run each. */
static struct sides compared(const char *before, const char *after)
{
	const struct tree_changes_options options = { .changes = { .alpha = ALPHA,
								   .least_share = CHANGES_LEAST } };
	const char *const text[RUNS_SIDES] = { before, after };
	struct sides sides = { .runs = runs_new(&(struct runs_options){ .outer = 0 }) };

	assert_non_null(sides.runs);
	for (enum runs_side side = 0; side < RUNS_SIDES; side++)
		assert_int_equal(runs_add(sides.runs, side, folded_text_tree(text[side]), 1), 0);
	assert_int_equal(runs_settle(sides.runs), 0);
	assert_int_equal(tree_changes_make(sides.runs, &options, &sides.changes), 0);
	return sides;
}

static void free_sides(struct sides *sides)
{
	tree_changes_free(sides->changes);
	runs_free(sides->runs);
}

static char *svg_of(const char *before, const char *after, double alpha,
		    const struct graph_options *options)
{
	struct sides sides = compared(before, after);
	struct written to;

	assert_int_equal(graph_write_diff(sides.changes, alpha, options, written_begin(&to)), 0);
	free_sides(&sides);
	return written_end(&to);
}

TEST(a_frame_tells_both_sides_the_change_and_its_interval)
{
	char *svg = svg_of("a;x 5000\na;y 5000\n", "a;x 7500\na;y 2500\n", ALPHA,
			   &(struct graph_options){ .title = "diff" });

	holds(svg, "<title>x (before 5,000 samples, 50.00%; after 7,500 samples, 75.00%; change "
		   "+2,500 samples, +50.00%, 99% interval +2,");
	holds(svg, "<title>y (before 5,000 samples, 50.00%; after 2,500 samples, 25.00%; change "
		   "-2,500 samples, -50.00%, 99% interval -2,");
	holds(strstr(svg, "<title>x ("), ")</title><rect class=\"r8\"");
	holds(strstr(svg, "<title>y ("), ")</title><rect class=\"b8\"");
	free(svg);
}

TEST(a_change_that_is_not_sure_is_grey_and_says_so)
{
	char *svg = svg_of("a;x 50\na;y 5000\n", "a;x 55\na;y 5000\n", ALPHA,
			   &(struct graph_options){ .title = "diff" });

	holds(svg, " samples, not significant)</title><rect class=\"w0\"");
	holds_not(svg, "</title><rect class=\"r");
	holds(svg, "not significant at 99% confidence");
	free(svg);
}

TEST(without_intervals_the_legend_says_that_nothing_is_sure)
{
	char *svg = svg_of("a;x 50\n", "a;x 50\n", 0, &(struct graph_options){ .title = "diff" });

	holds(svg, "not significant: intervals are not known");
	holds_not(svg, "99% interval");
	free(svg);
}

TEST(frames_that_are_gone_are_in_the_picture_of_the_side_before)
{
	char *svg = svg_of("a;x 5000\na;y 5000\n", "a;y 5000\na;z 4000\n", ALPHA,
			   &(struct graph_options){ .title = "diff" });

	holds(svg, "1 frame is gone: choose widths: before");
	holds(svg, "\"counter\":\"widths: after\"");
	holds(strstr(svg, "\"counter\":\"widths: before\""), "\"x\"");
	holds_not(svg, "<title>x (");
	holds(svg, "change +4,000 samples, new");
	free(svg);
}

TEST(names_stay_names)
{
	char *svg = svg_of("a;<script>alert(1)</script> 1\n", "a;]]></metadata> 1\n", ALPHA,
			   &(struct graph_options){ .title = "diff" });

	holds_not(svg, "<script>alert");
	holds_not(svg, "]]></metadata>");
	free(svg);
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
	struct sides sides =
		compared("a;b;c 3\na;b;d 4\na;e 5\nf 6\na 7\n", "a;b;c 1\na;g 5\nf 2\n");
	struct frame_tree *tree = tree_changes_tree(sides.changes);
	struct graph_diff diff = { .changes = sides.changes, .side = RUNS_AFTER };
	struct seen seen = { .frames = 0 };

	assert_int_equal(graph_layout_picture(tree, &diff, 1, check, &seen), 0);
	assert_int_equal(seen.frames, 6);
	assert_int_equal(seen.end[0], 8);
	seen.frames = 0;
	diff.side = RUNS_BEFORE;
	assert_int_equal(graph_layout_picture(tree, &diff, 1, check, &seen), 0);
	assert_int_equal(seen.frames, 7);
	assert_int_equal(seen.end[0], 25);
	free_sides(&sides);
}

TEST(a_full_device_is_reported)
{
	struct sides sides = compared("a;b 1\n", "a;b 2\n");
	struct graph_options options = { .title = NULL };
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	assert_int_equal(graph_write_diff(sides.changes, ALPHA, &options, full), -EIO);
	fclose(full);
	free_sides(&sides);
}
