/* Changes of functions are ranked, marked and found as the runs' values demand. */
#include "runtime/compare/changes.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"

#define TEXT_BYTES 1000

static struct runs *runs;
static struct changes changes;
static double per_sample;

UNIT(setup)
{
	static const struct runs_options options = { .outer = 0 };

	runs = runs_new(&options);
	per_sample = 1;
	return runs ? 0 : -1;
}

UNIT(teardown)
{
	changes_free(&changes);
	runs_free(runs);
	return 0;
}

static void add(enum runs_side side, const char *folded)
{
	assert_int_equal(runs_add(runs, side, folded_text_tree(folded), per_sample), 0);
}

/* The same for a text with numbers. */
__attribute__((format(printf, 2, 3))) static void add_made(enum runs_side side, const char *format,
							   ...)
{
	char text[TEXT_BYTES];
	va_list list;

	va_start(list, format);
	assert_true(vsnprintf(text, sizeof(text), format, list) < TEXT_BYTES);
	va_end(list);
	add(side, text);
}

static int make(bool paired)
{
	struct changes_options options = { .alpha = 0.01,
					   .paired = paired,
					   .least_share = CHANGES_LEAST };

	assert_int_equal(runs_settle(runs), 0);
	changes_free(&changes);
	return changes_make(runs, &options, &changes);
}

/* Compare one more run a side. */
static void compare(const char *before, const char *after, bool paired)
{
	add(RUNS_BEFORE, before);
	add(RUNS_AFTER, after);
	assert_int_equal(make(paired), 0);
}

static const struct changes_function *function_of(const char *name)
{
	const struct changes_function *function = changes_find(&changes, name);

	if (!function)
		fail_msg("no function %s", name);
	return function;
}

static void assert_near(double found, double expected)
{
	if (!(fabs(found - expected) <= 1e-9 * (1 + fabs(expected))))
		fail_msg("%g is not %g", found, expected);
}

static void assert_means(const struct changes_value *value, double before, double after)
{
	assert_near(value->change.mean[0], before);
	assert_near(value->change.mean[1], after);
	assert_near(value->change.change, after - before);
}

/* Four runs a side that vary by one percent.  `light` doubles and stays small; `heavy` shrinks by
 * a tenth, which is more; `wild` changes by most and is not significant; `calm` does not change. */
static void add_ranked(void)
{
	static const int wild[2][4] = { { 100, 9000, 300, 4000 }, { 9500, 2500, 12000, 200 } };

	for (int run = 0; run < 4; run++) {
		int noise = run % 2 ? 1 : -1;

		add_made(RUNS_BEFORE,
			 "app;main;heavy %d\napp;main;light %d\napp;main;calm %d\napp;main;wild "
			 "%d\n",
			 22000 + 200 * noise, 1000 - 10 * noise, 30000 - 300 * noise, wild[0][run]);
		add_made(RUNS_AFTER,
			 "app;main;heavy %d\napp;main;light %d\napp;main;calm %d\napp;main;wild "
			 "%d\n",
			 20000 - 200 * noise, 2000 + 10 * noise, 30000 + 300 * noise, wild[1][run]);
	}
}

TEST(sure_changes_come_first_and_larger_ones_before_smaller)
{
	static const char *const order[] = { "heavy", "light", "wild", "calm" };

	add_ranked();
	assert_int_equal(make(false), 0);
	assert_int_equal(changes.method, STATISTICS_WELCH);
	assert_true(changes.has_intervals);
	for (size_t i = 0; i < 4; i++)
		assert_string_equal(changes.functions[i].name, order[i]);
	assert_int_equal(changes.count, 5); /* and main, which has no value of its own */
	assert_true(function_of("heavy")->self.significant &&
		    function_of("light")->self.significant);
	assert_false(function_of("wild")->self.significant ||
		     function_of("calm")->self.significant);
	assert_true(fabs(function_of("wild")->self.change.change) > 2000);
	assert_means(&function_of("heavy")->self, 22000, 20000);
	assert_near(function_of("light")->self.change.relative, 1);
	assert_true(function_of("heavy")->self.change.low > -3000);
	assert_true(function_of("heavy")->self.change.high < -1000);
}

TEST(order_by_totals_is_another_one)
{
	compare("app;outer;inner 1000\napp;outer 500\napp;other 3000\n",
		"app;outer;inner 9000\napp;outer 500\napp;other 5000\n", false);
	assert_string_equal(changes.functions[0].name, "inner");
	assert_string_equal(changes.functions[1].name, "other");
	assert_string_equal(changes.functions[2].name, "outer");
	assert_false(changes.functions[2].self.significant);
	changes_order(&changes, true);
	assert_string_equal(changes.functions[0].name, "inner"); /* as large as outer's */
	assert_string_equal(changes.functions[1].name, "outer");
	assert_string_equal(changes.functions[2].name, "other");
	assert_means(&changes.functions[1].total, 1500, 9500);
}

TEST(a_stack_counts_once_for_a_function_that_calls_itself)
{
	compare("app;walk;walk;walk 100\napp;walk;leaf;walk 30\napp;rest 70\n",
		"app;walk;walk;walk;walk 200\napp;walk 60\napp;rest 70\n", false);
	assert_means(&function_of("walk")->total, 130, 260);
	assert_means(&function_of("walk")->self, 130, 260);
	assert_means(&function_of("leaf")->total, 30, 0);
	assert_near(function_of("walk")->total.share[0], 0.65);
	assert_near(function_of("walk")->total.share[1], 260.0 / 330);
	assert_means(&changes.whole, 200, 330);
	assert_null(changes_find(&changes, "app")); /* the command is no function */
}

TEST(a_function_that_only_one_side_has_is_compared_with_nothing)
{
	for (int run = 0; run < 3; run++) {
		add_made(RUNS_BEFORE, "app;old %d\napp;rest 5000\n", 1000 + run);
		add_made(RUNS_AFTER, "app;new %d\napp;rest 5000\n", 2000 + run);
	}
	assert_int_equal(make(false), 0);
	assert_means(&function_of("old")->self, 1001, 0);
	assert_near(function_of("old")->self.change.relative, -1);
	assert_means(&function_of("new")->self, 0, 2001);
	assert_true(isinf(function_of("new")->self.change.relative));
	assert_true(function_of("old")->self.significant && function_of("new")->self.significant);
	assert_true(function_of("new")->self.share[0] <= 0);
	assert_false(function_of("rest")->self.significant);
}

TEST(a_run_without_the_function_counts_as_nothing)
{
	add(RUNS_BEFORE, "app;some 40\napp;rest 1000\n");
	add(RUNS_BEFORE, "app;rest 1000\n");
	add(RUNS_BEFORE, "app;some 20\napp;rest 1000\n");
	add(RUNS_AFTER, "app;rest 1000\n");
	add(RUNS_AFTER, "app;rest 1000\napp;some 30\n");
	assert_int_equal(make(false), 0);
	assert_means(&function_of("some")->self, 20, 15);
	assert_int_equal(changes.runs[0], 3);
	assert_int_equal(changes.runs[1], 2);
}

/* Interrupts differ between the sides by more than anything else. */
TEST(noise_is_apart_and_never_sure)
{
	for (int run = 0; run < 4; run++) {
		add_made(RUNS_BEFORE,
			 "app;main %d\napp;main;asm_sysvec_apic_timer_interrupt_[k] 10\n",
			 1000 + run);
		add_made(
			RUNS_AFTER,
			"app;main %d\napp;main;asm_sysvec_apic_timer_interrupt_[k];tick_[k] 3010\n",
			1000 - run);
	}
	assert_int_equal(make(false), 0);
	assert_means(&changes.noise, 10, 3010);
	assert_false(changes.noise.significant || changes.noise.tested);
	assert_near(changes.noise.share[0], 10 / 1001.5);
	assert_means(&changes.whole, 1001.5, 998.5);
	assert_near(changes.whole.share[0], 1);
	assert_false(changes.whole.significant);
	assert_int_equal(changes.count, 1);
}

/* With Poisson's variance: the difference of 100 and 160 samples is 60, its error the root of 260.
 */
TEST(one_run_each_knows_sampling_only)
{
	double error = sqrt(260), far = 2.5758293035489; /* 0.5 % of the normal distribution */

	compare("app;one 100\napp;rest 10000\n", "app;one 160\napp;rest 10000\n", true);
	assert_int_equal(changes.method, STATISTICS_SAMPLING);
	assert_near(function_of("one")->self.change.low, 60 - far * error);
	assert_near(function_of("one")->self.change.high, 60 + far * error);
	assert_true(function_of("one")->self.significant); /* 3.7 errors */
	assert_false(changes.whole.significant);
}

TEST(a_sample_weighs_what_the_runs_say)
{
	double width;

	per_sample = 1000;
	compare("app;one 100000\napp;rest 10000000\n", "app;one 160000\napp;rest 10000000\n",
		false);
	width = function_of("one")->self.change.high - function_of("one")->self.change.low;
	assert_near(width, 2 * 2.5758293035489 * sqrt(260) * 1000);
}

/* Both sides drift by far more than they differ. */
TEST(pairs_see_what_drift_hides)
{
	for (int run = 0; run < 6; run++) {
		add_made(RUNS_BEFORE, "app;one %d\napp;rest 100000\n", 100000 + 20000 * run);
		add_made(RUNS_AFTER, "app;one %d\napp;rest 100000\n",
			 104000 + 20000 * run + (run % 2 ? 100 : -100));
	}
	assert_int_equal(make(false), 0);
	assert_false(function_of("one")->self.significant);
	assert_int_equal(make(true), 0);
	assert_int_equal(changes.method, STATISTICS_PAIRED);
	assert_true(function_of("one")->self.significant);
	assert_true(changes.whole.significant);
	assert_false(function_of("rest")->self.significant);
}

TEST(equal_runs_have_no_change)
{
	for (int run = 0; run < 3; run++)
		for (int side = 0; side < 2; side++)
			add(side, "app;b 1000\napp;a 1000\napp;c;d 7\n");
	assert_int_equal(make(false), 0);
	for (size_t i = 0; i < changes.count; i++) {
		assert_near(changes.functions[i].self.change.change, 0);
		assert_false(changes.functions[i].self.significant ||
			     changes.functions[i].total.significant);
	}
	assert_string_equal(changes.functions[0].name, "a");
	assert_string_equal(changes.functions[3].name, "d");
	assert_false(changes.whole.significant);
	/* four degrees of freedom; a half of 2007 samples has a binomial's variance */
	assert_near(function_of("a")->self.change.high,
		    4.60409487135 * sqrt(2 * 1000 * (1007.0 / 2007) / 3));
	assert_near(changes.whole.change.low, -4.60409487135 * sqrt(2 * 0.25 / 3));
}

TEST(little_takes_no_part)
{
	for (int run = 0; run < 5; run++) {
		add(RUNS_BEFORE, "app;rest 1000000\napp;little 10\n");
		add(RUNS_AFTER, "app;rest 1000000\napp;little 900\n");
	}
	assert_int_equal(make(false), 0);
	assert_false(function_of("little")->self.tested || function_of("little")->self.significant);
	assert_true(function_of("little")->self.change.chance < 1e-6);
	assert_true(function_of("rest")->self.tested);
}

TEST(one_sighting_in_ten_runs_is_no_change)
{
	for (int run = 0; run < 10; run++) {
		add(RUNS_BEFORE, "app;rest 100\n");
		add(RUNS_AFTER, run == 4 ? "app;rest 100\napp;once 9\n" : "app;rest 100\n");
	}
	assert_int_equal(make(false), 0);
	assert_true(function_of("once")->self.tested);
	assert_false(function_of("once")->self.significant);
	assert_true(function_of("once")->self.change.low < 0);
}

/* The common mean of ten runs and one is nearly that of the ten. */
TEST(a_sighting_in_the_only_run_is_no_change)
{
	for (int run = 0; run < 10; run++)
		add(RUNS_BEFORE, "app;rest 100\n");
	add(RUNS_AFTER, "app;rest 100\napp;twice 2\n");
	assert_int_equal(make(false), 0);
	assert_int_equal(changes.method, STATISTICS_ONE);
	assert_true(function_of("twice")->self.change.chance > 0.05);
	assert_false(function_of("twice")->self.significant);
}

TEST(many_functions_need_better_proof)
{
	char text[2][20 * 400] = { "", "" };

	compare("app;one 200\n", "app;one 260\n", false);
	assert_true(function_of("one")->self.significant); /* 2.8 errors, one function */
	runs_free(runs);
	unit_setup(NULL);
	for (int side = 0; side < 2; side++) {
		char *end = text[side] + sprintf(text[side], "app;one %d\n", side ? 260 : 200);

		for (int i = 0; i < 300; i++)
			end += sprintf(end, "app;f%d 100\n", i);
		add(side, text[side]);
	}
	assert_int_equal(make(false), 0);
	assert_true(function_of("one")->self.change.chance < 0.01);
	assert_false(function_of("one")->self.significant);
}

TEST(functions_are_found_without_the_suffix_of_their_kind)
{
	compare("app;read_[k] 5\napp;work 7\napp;work_[j] 70\napp;work_[i] 1\n",
		"app;read_[k] 5\napp;work 7\napp;work_[j] 7\napp;work_[i] 1\n", false);
	assert_string_equal(function_of("read")->name, "read_[k]");
	assert_string_equal(function_of("read_[k]")->name, "read_[k]");
	assert_string_equal(function_of("work")->name, "work");
	assert_string_equal(function_of("work_[i]")->name, "work");
	assert_string_equal(function_of("work_[j]")->name, "work_[j]");
	assert_null(changes_find(&changes, "rea"));
	assert_null(changes_find(&changes, "read_[j]"));
	assert_null(changes_find(&changes, ""));
}

TEST(of_several_kinds_the_largest_is_found)
{
	compare("app;run_[p] 5\napp;run_[j] 70\napp;run_[i] 8\n",
		"app;run_[p] 9\napp;run_[j] 70\napp;run_[i] 8\n", false);
	assert_string_equal(function_of("run")->name, "run_[j]");
}

TEST(the_whole_is_a_part_of_what_is_sampled)
{
	static const char stacks[] = "app;f 100\napp;asm_sysvec_apic_timer_interrupt_[k] 900\n";

	for (int run = 0; run < 4; run++)
		add(run % 2 ? RUNS_AFTER : RUNS_BEFORE, stacks);
	assert_int_equal(make(false), 0);
	assert_true(changes.whole.change.high > 50);
}

TEST(a_side_of_noise_only_has_no_shares)
{
	compare("app;main;asm_sysvec_apic_timer_interrupt_[k] 10\n", "app;main 100\n", false);
	assert_means(&changes.whole, 0, 100);
	assert_true(isinf(changes.whole.change.relative));
	assert_true(function_of("main")->self.share[0] <= 0);
	assert_near(function_of("main")->self.share[1], 1);
}

TEST(one_side_may_have_nothing)
{
	for (int run = 0; run < 3; run++) {
		assert_int_equal(runs_add(runs, RUNS_BEFORE, frame_tree_new(), 1), 0);
		add(RUNS_AFTER, "app;main;page_fault_[k] 50\n");
	}
	assert_int_equal(make(false), 0);
	assert_means(&changes.whole, 0, 50);
	assert_true(changes.whole.significant && function_of("page_fault")->self.significant);
	assert_true(changes.noise.share[0] <= 0 && function_of("main")->total.share[0] <= 0);
}

TEST(noise_alone_and_no_run_are_no_data)
{
	assert_int_equal(make(false), -ENODATA);
	add(RUNS_BEFORE, "app;main 100\n");
	assert_int_equal(make(false), -ENODATA);
	runs_free(runs);
	unit_setup(NULL);
	for (int side = 0; side < 2; side++)
		add(side, "app;main;asm_sysvec_apic_timer_interrupt_[k] 10\n");
	assert_int_equal(make(false), -ENODATA);
	assert_int_equal(changes.count, 0);
}
