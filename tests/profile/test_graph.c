/* The flame graph's file: widths add up, and names stay names. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/output/graph/graph.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/output/graph/graph_layout.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

static char *svg_of(const char *folded, const struct graph_options *options, int expected)
{
	struct frame_tree *tree = folded_text_tree(folded);
	struct written to;

	assert_int_equal(graph_write(tree, options, written_begin(&to)), expected);
	frame_tree_free(tree);
	return written_end(&to);
}

/* Sums, by level and by parent, what the walk visits. */
struct sums {
	uint64_t by_level[8];
	uint64_t right_of[8]; /* where the last frame of the level ended */
	unsigned frames;
};

static int add_up(const struct graph_place *place, void *context)
{
	struct sums *sums = context;

	assert_true(place->level < 8);
	assert_true(place->left >= sums->right_of[place->level]);
	if (place->level) {
		assert_true(place->left + place->frame->total <= sums->right_of[place->level - 1]);
	}
	sums->right_of[place->level] = place->left + place->frame->total;
	sums->by_level[place->level] += place->frame->total;
	sums->frames++;
	return 0;
}

TEST(frames_lie_side_by_side_inside_their_parents)
{
	struct frame_tree *tree = folded_text_tree("a;b;c 3\na;b;d 4\na;e 5\nf 6\na 7\n");
	struct sums sums = { .frames = 0 };

	assert_int_equal(graph_layout_walk(tree, NULL, 1, add_up, &sums), 0);
	assert_int_equal(sums.frames, 7);
	assert_int_equal(sums.by_level[0], 25);
	assert_int_equal(sums.by_level[1], 25);
	assert_int_equal(sums.by_level[2], 12);
	assert_int_equal(sums.by_level[3], 7);
	frame_tree_free(tree);
}

static int find_d(const struct graph_place *place, void *context)
{
	if (strcmp(place->name, "d") == 0)
		*(uint64_t *)context = place->left;
	return 0;
}

TEST(what_is_left_out_still_takes_its_place)
{
	struct frame_tree *tree = folded_text_tree("a;b 1\na;c 2\na;d 10\n");
	struct sums sums = { .frames = 0 };
	uint64_t left = 0;

	assert_int_equal(graph_layout_walk(tree, NULL, 5, add_up, &sums), 0);
	assert_int_equal(sums.frames, 3);
	assert_int_equal(graph_layout_walk(tree, NULL, 5, find_d, &left), 0);
	assert_int_equal(left, 3);
	frame_tree_free(tree);
}

static int stop_at_once(const struct graph_place *place, void *context)
{
	(void)place;
	++*(int *)context;
	return -EIO;
}

TEST(a_visit_can_end_the_walk)
{
	struct frame_tree *tree = folded_text_tree("a;b 1\n");
	int visits = 0;

	assert_int_equal(graph_layout_walk(tree, NULL, 1, stop_at_once, &visits), -EIO);
	assert_int_equal(visits, 1);
	frame_tree_free(tree);
}

static int collect_before(const struct graph_place *place, void *context)
{
	uint64_t *before = context;

	before[place->level ? place->name[0] - 'a' + 1 : 0] = place->other;
	return 0;
}

TEST(the_other_profile_is_matched_by_path)
{
	struct frame_tree *before = folded_text_tree("a;c 1\nb;c 2\nb;d 4\nz 9\n");
	struct frame_tree *after = folded_text_tree("b;c 7\nb;e 7\nc;d 1\n");
	uint64_t seen[27] = { 0 };

	assert_int_equal(graph_layout_walk(after, before, 1, collect_before, seen), 0);
	assert_int_equal(seen[0], 16);
	assert_int_equal(seen['b' - 'a' + 1], 6);
	assert_int_equal(seen['e' - 'a' + 1], 0);
	assert_int_equal(seen['d' - 'a' + 1], 0); /* c;d is not b;d */
	frame_tree_free(before);
	frame_tree_free(after);
}

TEST(a_name_has_one_colour_everywhere)
{
	char one[GRAPH_COLOR_CLASS_BYTES];
	char two[GRAPH_COLOR_CLASS_BYTES];

	graph_color_class(FRAME_KIND_USER, "main", 4, one);
	graph_color_class(FRAME_KIND_USER, "main(int)", 4, two);
	assert_string_equal(one, two);
	graph_color_class(FRAME_KIND_KERNEL, "main", 4, two);
	assert_string_not_equal(one, two);
}

TEST(changes_are_red_grey_or_blue)
{
	char class[GRAPH_COLOR_CLASS_BYTES];

	graph_color_change_class(.5, .5, class);
	assert_string_equal(class, "r8");
	graph_color_change_class(-.5, .5, class);
	assert_string_equal(class, "b8");
	graph_color_change_class(0, .5, class);
	assert_string_equal(class, "w0");
	graph_color_change_class(-1e-9, .5, class);
	assert_string_equal(class, "b1");
	graph_color_change_class(.125, .5, class);
	assert_string_equal(class, "r4");
}

TEST(the_picture_tells_counts_and_kinds)
{
	struct graph_options options = { .title = "A <title>", .notes = "n & m", .unit = "ns" };
	char *svg = svg_of("app;main;poll_[k] 1234567\napp;main 765433\n", &options, 0);

	holds(svg, "<title>poll (1.23 ms, 61.73%), kernel</title>");
	holds(svg, "<title>all (2 ms, 100.00%)</title>");
	holds(svg, "<title>A &lt;title&gt;</title>");
	holds(svg, "n &amp; m");
	holds(svg, "\"poll_[k]\"");
	free(svg);
}

TEST(a_script_tag_stays_a_name)
{
	struct graph_options options = { .title = "</script><script>alert(1)</script>" };
	char *svg = svg_of("a;<script>alert(1)</script> 1\na;]]></metadata> 1\n", &options, 0);

	holds_not(svg, "<script>alert");
	holds_not(svg, "]]></metadata>");
	holds(svg, "&lt;script&gt;alert(1)&lt;/script&gt;");
	free(svg);
}

TEST(frames_below_the_minimum_width_are_left_out)
{
	struct graph_options options = { .min_width_percent = 10 };
	char *svg = svg_of("a;wide 95\na;slim 5\n", &options, 0);

	holds(svg, "\"wide\"");
	holds_not(svg, "slim");
	free(svg);
	svg = svg_of("a;wide 95\na;slim 5\n", &(struct graph_options){ .title = NULL }, 0);
	holds(svg, "\"slim\"");
	free(svg);
}

TEST(the_data_holds_frames_too_narrow_for_the_picture)
{
	char *svg =
		svg_of("a;wide 1000000\na;slim 20\n", &(struct graph_options){ .unit = NULL }, 0);

	holds(svg, "\"slim\"");
	holds_not(svg, "<title>slim");
	free(svg);
}

TEST(inverted_puts_the_outermost_on_top)
{
	struct graph_options options = { .inverted = true };
	char *svg = svg_of("a;b;c 1\n", &options, 0);

	holds(svg, "<title>all (1 sample, 100.00%)</title><rect class=\"u");
	holds(strstr(svg, "<title>all ("), "y=\"42.00\"");
	free(svg);
	options.inverted = false;
	svg = svg_of("a;b;c 1\n", &options, 0);
	holds(strstr(svg, "<title>c ("), "y=\"42.00\"");
	free(svg);
}

TEST(an_empty_profile_is_a_picture_that_says_so)
{
	char *svg = svg_of("# nothing\n", &(struct graph_options){ .title = "t" }, -ENODATA);

	holds(svg, "There is nothing to draw: the profile holds no samples.");
	holds(svg, "</svg>");
	free(svg);
}

TEST(the_same_profile_gives_the_same_file)
{
	const struct graph_options options = { .title = "t" };
	char *one = svg_of("a;b;c 1\na;d 2\nz;b 4\n", &options, 0);
	char *two = svg_of("z;b 4\na;d 2\na;b;c 1\n", &options, 0);

	assert_string_equal(one, two);
	free(one);
	free(two);
}

TEST(the_largest_counts_do_not_overflow)
{
	char *svg = svg_of("a;b 18446744073709551614\na;c 1\n", &(struct graph_options){ 0 }, 0);

	holds(svg, "<title>b (18,446,744,073,709,551,614 samples, 100.00%)</title>");
	free(svg);
}

TEST(a_full_device_is_reported)
{
	struct frame_tree *tree = folded_text_tree("a;b 1\n");
	struct graph_options options = { .title = NULL };
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	assert_int_equal(graph_write(tree, &options, full), -EIO);
	fclose(full);
	frame_tree_free(tree);
}
