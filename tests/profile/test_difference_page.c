/* The page of a comparison: its data hold all counters, measures and frames, and names stay names.
 */
#include "runtime/compare/comparison.h"
#include "runtime/output/page/difference_draw.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"
#include "tests/support/written.h"

#define RUNS 3

static struct runs *runs;
static struct comparison comparison;

UNIT(teardown)
{
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
