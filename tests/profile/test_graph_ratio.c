/* Frames coloured by a ratio: each has the ratio of its subtree, or the reason for having none. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/number_text.h"
#include "runtime/output/graph/graph.h"
#include "runtime/output/graph/graph_ratio.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

/* What a frame's ratio is told as, and whatever else is to be found in a picture of it. */
#define WIDTHS	"a;fast 500\na;slow 400\na;slow;deep 50\na;rare 5\na;idle 45\n"
#define OF	"a;fast 1500\na;slow 100\na;slow;deep 300\na;rare 5\n"
#define BY	"a;fast 500\na;slow 400\na;slow;deep 50\na;rare 5\n"
#define SAMPLES "a;fast 500\na;slow 400\na;slow;deep 50\na;rare 5\na;idle 45\n"

struct setup {
	struct frame_tree *widths;
	struct graph_ratio ratio;
};

static struct setup setup_new(void)
{
	return (struct setup){
		.widths = folded_text_tree(WIDTHS),
		.ratio = { .title = "instructions per cycle",
			   .by_name = "cycles",
			   .scale = 1,
			   .of = folded_text_tree(OF),
			   .by = folded_text_tree(BY),
			   .samples = folded_text_tree(SAMPLES),
			   .fewest = 10 },
	};
}

static void setup_free(struct setup *setup)
{
	frame_tree_free(setup->widths);
	frame_tree_free(setup->ratio.of);
	frame_tree_free(setup->ratio.by);
	frame_tree_free(setup->ratio.samples);
}

/* Frames come in the order of the walk: all, a, fast, idle, rare, slow, deep. */
TEST(each_frame_has_the_ratio_of_its_subtree)
{
	static const uint64_t of[] = { 1905, 1905, 1500, 0, 5, 400, 300 };
	static const uint64_t by[] = { 955, 955, 500, 0, 5, 450, 50 };
	struct setup setup = setup_new();
	struct graph_ratio_frames frames;

	assert_int_equal(graph_ratio_make(setup.widths, 1, &setup.ratio, &frames), 0);
	assert_int_equal(frames.count, 7);
	for (size_t i = 0; i < 7; i++) {
		assert_int_equal(frames.frame[i].of, of[i]);
		assert_int_equal(frames.frame[i].by, by[i]);
	}
	graph_ratio_free(&frames);
	setup_free(&setup);
}

TEST(a_larger_ratio_never_has_a_lower_step)
{
	struct setup setup = setup_new();
	struct graph_ratio_frames frames;

	assert_int_equal(graph_ratio_make(setup.widths, 1, &setup.ratio, &frames), 0);
	for (size_t i = 0; i < frames.count; i++) {
		const struct graph_ratio_frame *one = &frames.frame[i];

		for (size_t j = 0; j < frames.count; j++) {
			const struct graph_ratio_frame *other = &frames.frame[j];

			if (one->step < 0 || other->step < 0)
				continue;
			if (one->of * other->by <= other->of * one->by)
				assert_true(one->step <= other->step);
		}
	}
	assert_int_equal(frames.frame[5].step, 0);			/* slow, 0.89 */
	assert_int_equal(frames.frame[6].step, GRAPH_COLOR_RATIOS - 1); /* deep, 6 */
	graph_ratio_free(&frames);
	setup_free(&setup);
}

TEST(few_samples_and_a_divisor_of_nothing_make_no_ratio)
{
	struct setup setup = setup_new();
	struct graph_ratio_frames frames;

	assert_int_equal(graph_ratio_make(setup.widths, 1, &setup.ratio, &frames), 0);
	assert_int_equal(frames.frame[3].step, GRAPH_RATIO_NONE); /* idle */
	assert_int_equal(frames.frame[4].step, GRAPH_RATIO_FEW);  /* rare */
	graph_ratio_free(&frames);
	setup_free(&setup);
}

static char *svg_of(struct setup *setup, bool by_ratio)
{
	struct graph_options options = { .counter = "cycles",
					 .notes = "notes",
					 .ratios = &setup->ratio,
					 .ratio_count = 1,
					 .by_ratio = by_ratio };
	struct written to;

	assert_int_equal(graph_write(setup->widths, &options, written_begin(&to)), 0);
	return written_end(&to);
}

TEST(the_picture_tells_ratios_and_reasons)
{
	struct setup setup = setup_new();
	char *svg = svg_of(&setup, true);

	holds(svg, "<title>slow (450 samples, 45.00%), 0.889 instructions per cycle</title>"
		   "<rect class=\"q0\"");
	holds(svg, "<title>deep (50 samples, 5.00%), 6 instructions per cycle</title>"
		   "<rect class=\"q7\"");
	holds(svg, "<title>rare (5 samples, 0.50%), no ratio: fewer than 10 samples</title>"
		   "<rect class=\"n0\"");
	holds(svg, "<title>idle (45 samples, 4.50%), no ratio: no cycles counted</title>"
		   "<rect class=\"n0 edge\"");
	holds(svg, "notes; colour: instructions per cycle</text>");
	holds(svg, "y=\"9.5\">instructions per cycle</text>");
	holds(svg, "y=\"9.5\">fewer than 10 samples</text>");
	holds(svg, "\"byRatio\":true");
	free(svg);
	setup_free(&setup);
}

TEST(a_ratio_that_waits_in_the_menu_leaves_the_picture_alone)
{
	struct setup setup = setup_new();
	char *svg = svg_of(&setup, false);

	holds(svg, "<title>slow (450 samples, 45.00%)</title><rect class=\"u");
	holds(svg, "\"title\":\"instructions per cycle\"");
	if (strstr(svg, "byRatio\":"))
		fail_msg("it is shown at first");
	free(svg);
	setup_free(&setup);
}

static void bounds(double low, double high, const char *expected)
{
	double bound[GRAPH_COLOR_RATIOS - 1];
	unsigned count = graph_ratio_bounds(low, high, bound);
	char text[256] = "";
	char number[NUMBER_TEXT_SHORT_BYTES];

	assert_true(count < GRAPH_COLOR_RATIOS);
	for (unsigned i = 0; i < count; i++) {
		assert_true(bound[i] > low && bound[i] < high && (!i || bound[i] > bound[i - 1]));
		number_text_short(number, bound[i]);
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i ? " " : "",
			 number);
	}
	assert_string_equal(text, expected);
}

TEST(bounds_are_round_numbers_between_least_and_most)
{
	bounds(1, 1, "");
	bounds(1, 1.01, "");
	bounds(.8, 3, "1 1.5 2 2.5");
	bounds(1, 1.09, "");
	bounds(1, 1.11, "1.02 1.04 1.06 1.08 1.1");
	bounds(950, 1250, "1,000 1,050 1,100 1,150 1,200");
	bounds(.5, 3, "0.7 1 1.5 2");
	bounds(.1, 9, "0.2 0.5 1 2 5");
	bounds(.5, 800, "1 3 10 30 100 300");
	bounds(1e-6, 1, "0.00001 0.0001 0.001 0.01 0.1");
	bounds(1e-12, 1e12, "0.000000001 0.000001 0.001 1 1,000 1,000,000 1,000,000,000");
}

/* A rough check of every magnitude: bounds() tests order, range and number. */
TEST(bounds_are_few_at_every_size)
{
	double bound[GRAPH_COLOR_RATIOS - 1];

	for (double low = 1e-9; low < 1e9; low *= 3.7)
		for (double factor = 1.12; factor < 1e15; factor *= 1.9) {
			unsigned count = graph_ratio_bounds(low, low * factor, bound);

			assert_true(count < GRAPH_COLOR_RATIOS);
			assert_true(count > 0 || factor < 1e4);
			for (unsigned i = 0; i < count; i++)
				assert_true(bound[i] > low && bound[i] < low * factor);
		}
}
