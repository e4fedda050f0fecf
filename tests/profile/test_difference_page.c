/* The page of a comparison: its data hold all counters, measures and frames, and names stay names.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compare/changes.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/runs.h"
#include "runtime/output/page/difference_draw.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define RUNS 3

struct sides {
	struct runs *runs;
	struct comparison comparison;
};

/* Some runs a side, with one function that grows. */
static void compare(struct sides *sides, const char *label)
{
	*sides = (struct sides){
		.runs = runs_new(&(struct runs_options){ .outer = 1 }),
		.comparison = { .label = { "old", label }, .runs = { RUNS, RUNS }, .alpha = .01 },
	};
	for (int i = 0; i < RUNS; i++) {
		char text[128];

		snprintf(text, sizeof(text), "app;main;f %d\napp;main;</script> 400\n", 9000 + i);
		assert_int_equal(runs_add(sides->runs, RUNS_BEFORE, folded_text_tree(text), 1), 0);
		snprintf(text, sizeof(text), "app;main;f %d\napp;main;<b> 100\n", 12000 + i);
		assert_int_equal(runs_add(sides->runs, RUNS_AFTER, folded_text_tree(text), 1), 0);
	}
	assert_int_equal(runs_settle(sides->runs), 0);
	assert_int_equal(comparison_add_runs(&sides->comparison, "cycles", "samples", sides->runs),
			 0);
}

static void add_wall(struct comparison *comparison)
{
	struct comparison_measure *wall = comparison_add_measure(comparison, "wall", "ns");

	assert_non_null(wall);
	for (int side = 0; side < 2; side++) {
		wall->value[side] = calloc(RUNS, sizeof(double));
		assert_non_null(wall->value[side]);
		for (int i = 0; i < RUNS; i++)
			wall->value[side][i] = 1e9 + 2e8 * side + i;
	}
	assert_int_equal(comparison_judge(comparison), 0);
}

static char *json_of(const struct comparison *comparison)
{
	struct written to;

	assert_int_equal(difference_json(comparison, NULL, written_begin(&to)), 0);
	return written_end(&to);
}

static void free_sides(struct sides *sides)
{
	comparison_free(&sides->comparison);
	runs_free(sides->runs);
}

TEST(every_run_of_a_measure_is_there)
{
	struct sides sides;
	char *text;

	compare(&sides, "new");
	add_wall(&sides.comparison);
	text = json_of(&sides.comparison);
	holds(text, "\"runs\":[[1000000000,1000000001,1000000002],"
		    "[1200000000,1200000001,1200000002]]");
	holds(text, "\"verdict\":[\"wall rose by ");
	holds(text, "\"labels\":[\"old\",\"new\"]");
	holds(text, "\"confidence\":99");
	free(text);
	free_sides(&sides);
}

TEST(without_measures_the_verdict_is_that_of_the_counters)
{
	struct sides sides;
	char *text;

	compare(&sides, "new");
	text = json_of(&sides.comparison);
	holds(text, "\"verdict\":[\"cycles rose by ");
	holds(text, "\"measures\":[]");
	free(text);
	free_sides(&sides);
}

TEST(what_is_not_known_is_null)
{
	struct sides sides;
	char *text;

	compare(&sides, "new");
	sides.comparison.counters[0].changes.normalized.change.low = -(double)INFINITY;
	sides.comparison.counters[0].changes.normalized.change.high = (double)NAN;
	text = json_of(&sides.comparison);
	holds(text, ",null,null,");
	free(text);
	free_sides(&sides);
}

TEST(one_pace_is_a_note)
{
	struct sides sides;
	double factors[2 * RUNS] = { 0.8, 1, 1.2, 0.8, 1, 1.2 };
	struct speed_factor *speed;
	char *text;

	compare(&sides, "new");
	text = json_of(&sides.comparison);
	assert_null(strstr(text, "normalized"));
	free(text);
	speed = &sides.comparison.counters[0].changes.speed;
	*speed = (struct speed_factor){ .of_run = factors, .slowest = 1.5 };
	sides.comparison.counters[0].changes.normalized.change.mean[1] = 12102;
	text = json_of(&sides.comparison);
	holds(text, "\"whole\":[9401,12102,");
	holds(text, "\"notes\":[\"Functions of cycles are compared normalized: alike in all of "
		    "them, runs took up to 1.5 times as long as others. What changed all functions "
		    "alike shows in the whole only.\"");
	free(text);
	speed->of_run = NULL;
	free_sides(&sides);
}

TEST(names_stay_names)
{
	struct sides sides;
	char *text;

	compare(&sides, "</script><script>alert(1)</script>");
	assert_int_equal(comparison_note(&sides.comparison, "%s", "<!-- \xff & \"x\""), 0);
	text = json_of(&sides.comparison);
	assert_null(strpbrk(text, "<>&"));
	free(text);
	free_sides(&sides);
}

TEST(a_full_device_is_reported)
{
	struct sides sides;
	FILE *full = fopen("/dev/full", "w");

	assert_non_null(full);
	compare(&sides, "new");
	struct difference_draw draw = {
		.comparison = &sides.comparison,
	};
	assert_int_equal(difference_draw_page(&draw, full), -EIO);
	fclose(full);
	free_sides(&sides);
}

TEST(the_ending_asks_for_a_page)
{
	assert_true(difference_draw_is_page("a.b/x.html"));
	assert_false(difference_draw_is_page("x.html.svg"));
	assert_false(difference_draw_is_page("html"));
}
