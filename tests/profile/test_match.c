/* Runs of two sides are made comparable: noise is set apart, in each run by itself, and the same
 * function is one frame in all runs of both sides, while different functions stay apart. */
#include "runtime/compare/match/match.h"
#include "runtime/compare/runs.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"

static struct runs_options options;
static struct runs *runs;

UNIT(setup)
{
	options = (struct runs_options){ 0 };
	runs = NULL;
	return 0;
}

UNIT(teardown)
{
	runs_free(runs);
	return 0;
}

static void add(enum runs_side side, const char *folded)
{
	if (!runs)
		runs = runs_new(&options);
	assert_non_null(runs);
	folded_text_add(runs, side, folded);
}

/* Settle one run a side; both must be these stacks then. */
static void assert_matched(const char *before, const char *after, const char *expected_before,
			   const char *expected_after)
{
	runs_free(runs);
	runs = NULL;
	add(RUNS_BEFORE, before);
	add(RUNS_AFTER, after);
	assert_int_equal(runs_settle(runs), 0);
	folded_text_is(runs, RUNS_BEFORE, 0, expected_before);
	folded_text_is(runs, RUNS_AFTER, 0, expected_after);
}

static void assert_apart(const char *before, const char *after)
{
	assert_matched(before, after, before, after);
}

static void assert_pair(size_t index, const char *old, const char *new_name)
{
	const char *found[2];

	assert_true(runs_matched(runs, index, &found[0], &found[1]));
	assert_string_equal(found[0], old);
	assert_string_equal(found[1], new_name);
}

static void assert_pairs(size_t count)
{
	const char *found[2];

	assert_false(runs_matched(runs, count, &found[0], &found[1]));
	if (count)
		assert_true(runs_matched(runs, count - 1, &found[0], &found[1]));
}

TEST(copies_of_a_function_are_one)
{
	assert_matched("app;f.constprop.0 5\n", "app;f.constprop.1 6\n", "app;f.constprop.1 5\n",
		       "app;f.constprop.1 6\n");
	assert_pair(0, "f.constprop.0", "f.constprop.1");
	assert_pairs(1);
	assert_matched("app;f 5\napp;f;f.part.0 7\n", "app;f 12\n", "app;f 5\napp;f;f 7\n",
		       "app;f 12\n");
	assert_pair(0, "f.part.0", "f");
	assert_matched("app;f 12\n", "app;f 5\napp;f;f.part.0 7\n", "app;f 12\n",
		       "app;f 5\napp;f;f 7\n");
	assert_pair(0, "f", "f.part.0");
	assert_matched("app;g;f 12\n", "app;g;f_[i] 12\n", "app;g;f_[i] 12\n", "app;g;f_[i] 12\n");
}

/* What is inlined differs between builds, and also within one. */
TEST(inlined_calls_and_others_are_one_function)
{
	assert_matched("app;f 4\napp;g;f_[i] 8\n", "app;f 2\napp;g;f_[i] 10\n",
		       "app;f 4\napp;g;f 8\n", "app;f 2\napp;g;f 10\n");
	assert_pairs(0);
	assert_matched("app;f 4\napp;g;f_[i] 8\n", "app;f 12\n", "app;f 4\napp;g;f 8\n",
		       "app;f 12\n");
	assert_pair(0, "f_[i]", "f");
	assert_matched("app;f 4\napp;f;f_[i] 8\n", "app;g 12\n", "app;f 4\napp;f;f 8\n",
		       "app;g 12\n");
	assert_pairs(0);
	assert_apart("app;f_[i] 4\napp;f_[k] 4\n", "app;f_[i] 5\napp;f_[k] 6\n");
}

/* Debug information has no namespace for some inlined functions. */
TEST(an_inlined_function_has_its_namespace_where_that_is_clear)
{
	assert_matched("app;f_[i] 4\n", "app;(anonymous namespace)::f 5\n",
		       "app;(anonymous namespace)::f 4\n", "app;(anonymous namespace)::f 5\n");
	assert_pair(0, "f_[i]", "(anonymous namespace)::f");
	assert_matched("app;a::b::f 4\n", "app;f_[i] 5\n", "app;f_[i] 4\n", "app;f_[i] 5\n");
	assert_apart("app;f_[i] 4\n", "app;a::f 5\napp;b::f 6\n");
	assert_apart("app;b::f 6\napp;f_[i] 4\n", "app;a::f 5\n");
	assert_apart("app;f_[i] 4\n", "app;a::f 5\napp;f_[i] 6\n");
	assert_apart("app;f_[i] 4\n", "app;a::g 5\n");
	assert_apart("app;f 4\n", "app;a::f 5\n");
	assert_apart("app;f_[i] 4\n", "app;a::f_[k] 5\n");
	assert_pairs(0);
}

TEST(names_that_look_alike_stay_apart)
{
	/* copies that both sides have stay */
	assert_apart("app;f 5\napp;f;f.part.0 7\n", "app;f 1\napp;f;f.part.0 2\n");
	assert_pairs(0);
	/* Names that look alike, of functions that are different. */
	assert_apart("app;f1 5\n", "app;f2 5\n");
	assert_apart("app;copy_v1 5\n", "app;copy_v2 5\n");
	assert_apart("app;f 5\n", "app;f_[k] 5\n");
	assert_apart("app;f 5\n", "app;f_[j] 5\n");
	assert_apart("app;Sheep.clone 5\n", "app;Sheep.part 5\n");
	assert_apart("app;a.part.0_[p] 5\n", "app;a.part.1_[p] 5\n");
	assert_apart("app;f(int) 5\n", "app;f(long) 5\n");
	assert_apart("app;[libX11.so] 5\n", "app;[libX12.so] 5\n");
	assert_apart("app;memcpy@plt 5\n", "app;memmove@plt 5\n");
	assert_apart("app;f.0 5\n", "app;f.1 5\n");
	assert_apart("app;{lambda()#1} 5\n", "app;{lambda()#2} 5\n");
	assert_pairs(0);
	/* Of one script that imports another module, or where the user names one. */
	assert_apart("python3;app.<module>_[p];old.<module>_[p];old.f_[p] 5\n",
		     "python3;app.<module>_[p];new.<module>_[p];new.f_[p] 5\n");
	assert_apart("python3;old.<module>_[p] 5\npython3;x.<module>_[p] 3\n",
		     "python3;x.<module>_[p];new.<module>_[p] 5\n");
	assert_apart(
		"python3;run;boot.load_[p];old.<module>_[p] 5\npython3;run;x.<module>_[p] 3\n",
		"python3;run;boot.load_[p];new.<module>_[p] 5\npython3;run;x.<module>_[p] 3\n");
	assert_apart("php;{main} a.php_[p] 5\n", "php;a.<module>_[p] 5\n");
	assert_apart("app;old.<module> 5\n", "app;new.<module> 5\n");
	assert_pairs(0);
	/* In a function's name a number is part of it. */
	assert_apart("app;f/12 5\n", "app;f/13 5\n");
	/* a name that all lack but one side stays */
	assert_apart("app;f 5\n", "app;f 5\napp;g.part.0 1\napp;g.part.1 1\n");
	assert_apart("app;f 5\n", "app;f 5\napp;lib@0x1 1\napp;lib@0x2 1\n");
}

TEST(scripts_of_two_names_are_one)
{
	assert_matched("python3;old.<module>_[p];old.f_[p];len 5\npython3;old.<module>_[p];"
		       "old.gone.<locals>.g_[p] 2\n",
		       "python3;new.<module>_[p];new.f_[p];len 6\npython3;new.<module>_[p];"
		       "older.f_[p] 1\n",
		       "python3;new.<module>_[p];new.f_[p];len 5\npython3;new.<module>_[p];"
		       "new.gone.<locals>.g_[p] 2\n",
		       "python3;new.<module>_[p];new.f_[p];len 6\npython3;new.<module>_[p];"
		       "older.f_[p] 1\n");
	assert_pair(0, "old.<module>_[p]", "new.<module>_[p]");
	assert_pairs(1);
	assert_matched("python3;boot.load_[p];site.<module>_[p] 9\npython3;old.<module>_[p] 5\n",
		       "python3;boot.load_[p];site.<module>_[p] 9\npython3;new.<module>_[p] 5\n",
		       "python3;boot.load_[p];site.<module>_[p] 9\npython3;new.<module>_[p] 5\n",
		       "python3;boot.load_[p];site.<module>_[p] 9\npython3;new.<module>_[p] 5\n");
	assert_matched("php;{main} a.php_[p];work_[p] 5\n", "php;{main} bb.php_[p];work_[p] 6\n",
		       "php;{main} bb.php_[p];work_[p] 5\n", "php;{main} bb.php_[p];work_[p] 6\n");
	assert_matched("ruby;<main> a.rb_[p] 5\n", "ruby;<main> b.rb_[p] 6\n",
		       "ruby;<main> b.rb_[p] 5\n", "ruby;<main> b.rb_[p] 6\n");
}

TEST(addresses_are_those_of_one_build)
{
	/* versions of a library match one to one */
	assert_matched("app;[libz.so.1.2.11] 5\n", "app;[libz.so.1.3.0] 5\n",
		       "app;[libz.so.1.3.0] 5\n", "app;[libz.so.1.3.0] 5\n");
	assert_apart("app;[libz.so.1.2.11] 5\napp;[libz.so.1.2.12] 5\n", "app;[libz.so.1.3.0] 5\n");
	assert_apart("app;[libz.so.1.2.11] 5\napp;[libz.so.1.3.0] 5\n", "app;[libz.so.1.3.0] 5\n");
	/* addresses of another build are their module */
	assert_matched("app;libz.so.1.2@0x12 5\napp;libz.so.1.2@0x34 6\napp;[libz.so.1.2] 1\n",
		       "app;libz.so.1.3@0x16 4\napp;libz.so.1.3@0x38 5\n", "app;[libz.so.1.3] 12\n",
		       "app;[libz.so.1.3] 9\n");
	assert_pairs(1);
	assert_matched("app;x;old@0x1 5\n", "app;x;old@0x2 6\n", "app;x;[old] 5\n",
		       "app;x;[old] 6\n");
	assert_matched("app;[data x.so.1+0x40] 5\n", "app;[data x.so.1+0x48] 6\n",
		       "app;[data x.so.1] 5\n", "app;[data x.so.1] 6\n");
	/* addresses of the same build stay */
	assert_apart("app;lib@0x1 50\napp;lib@0x2 40\n",
		     "app;lib@0x1 50\napp;lib@0x2 40\napp;lib@0x3 9\n");
	assert_apart("app;lib@0x1;lib@0x2 50\n", "app;lib@0x1;lib@0x2 40\n");
	assert_pairs(0);
	/* outer addresses of another build are not evidence of the same */
	assert_matched("app;lib@0x1;lib@0x2 50\n", "app;lib@0x1;lib@0x3 50\n",
		       "app;[lib];[lib] 50\n", "app;[lib];[lib] 50\n");
	/* two versions of a module stay apart */
	assert_matched("app;z.so.1@0x1 50\napp;z.so.2@0x1 50\n",
		       "app;z.so.1@0x2 50\napp;z.so.2@0x1 50\n",
		       "app;[z.so.1] 50\napp;z.so.2@0x1 50\n",
		       "app;[z.so.1] 50\napp;z.so.2@0x1 50\n");
}

TEST(addresses_of_each_run_are_unknown_code)
{
	add(RUNS_BEFORE, "app;0x7f12ab 5\n");
	add(RUNS_BEFORE, "app;0x7f34ab 6\n");
	add(RUNS_BEFORE, "app;0x7f56ab 7\n");
	add(RUNS_AFTER, "app;0x7f12ab 7\n");
	assert_int_equal(runs_settle(runs), 0);
	folded_text_is(runs, RUNS_BEFORE, 0, "app;[unknown] 5\n");
	folded_text_is(runs, RUNS_BEFORE, 1, "app;[unknown] 6\n");
	folded_text_is(runs, RUNS_BEFORE, 2, "app;[unknown] 7\n");
	folded_text_is(runs, RUNS_AFTER, 0, "app;[unknown] 7\n");
}

TEST(processes_have_no_number)
{
	options.outer = 3;
	add(RUNS_BEFORE, "app;app/12;t/13;f 5\n");
	add(RUNS_BEFORE, "app;app/22;t/23;f 6\napp;app/22;t/24;f 6\n");
	add(RUNS_AFTER, "app;app/32;t/33;f 7\n");
	assert_int_equal(runs_settle(runs), 0);
	folded_text_is(runs, RUNS_BEFORE, 0, "app;app;t;f 5\n");
	folded_text_is(runs, RUNS_BEFORE, 1, "app;app;t;f 12\n");
	folded_text_is(runs, RUNS_AFTER, 0, "app;app;t;f 7\n");
	assert_pairs(2);
}

TEST(threads_are_told_by_their_names)
{
	/* threads that all runs number alike keep their numbers */
	options.outer = 2;
	assert_apart("app;t-1;f 50\napp;t-2;f 50\n", "app;t-1;f 40\napp;t-2;f 40\napp;t-3;f 9\n");
	/* threads whose names end in a digit are different */
	assert_apart("app;stage1;f 50\n", "app;stage2;f 50\n");
	/* the thread of main is named after the command */
	assert_matched("old;old;old 5\n", "new;new;f 6\n", "new;new;old 5\n", "new;new;f 6\n");
}

TEST(versions_of_a_command_are_one_command)
{
	assert_matched("python3.9;f 5\npython3.9;[python3.9] 4\npython3.9;python3.9@0x1 3\n",
		       "python3.11;f 5\npython3.11;[python3.11] 4\npython3.11;python3.11@0x1 3\n",
		       "python3.11;[python3.11] 4\npython3.11;f 5\npython3.11;python3.11@0x1 3\n",
		       "python3.11;[python3.11] 4\npython3.11;f 5\npython3.11;python3.11@0x1 3\n");
	assert_pair(0, "python3.9", "python3.11");
	assert_pairs(1);
}

TEST(the_largest_commands_of_one_side_only_are_one)
{
	assert_matched("old;f 5\nold;[old] 2\nsh;f 9\nmv;f 1\n", "new;f 6\nnew;[new] 2\nsh;f 9\n",
		       "mv;f 1\nnew;[new] 2\nnew;f 5\nsh;f 9\n", "new;[new] 2\nnew;f 6\nsh;f 9\n");
	assert_pair(0, "old", "new");
	assert_pairs(1);
}

TEST(modules_are_named_after_the_command)
{
	options.modules = true;
	assert_matched("old;old;libz.so.1 5\n", "new;new;libz.so.1.2 6\n",
		       "new;new;libz.so.1.2 5\n", "new;new;libz.so.1.2 6\n");
}

TEST(the_user_s_names_come_first)
{
	static const struct runs_rename renames[] = {
		{ "f", "g" }, { "g", "h" }, { "run_[k]", "go_[k]" }, { "slow", "fast" }
	};

	options.renames = renames;
	options.rename_count = 4;
	assert_matched("app;f 1\napp;g 2\napp;run_[k] 4\napp;run 8\napp;slow_[p] 16\n",
		       "app;g 1\napp;h 2\napp;go_[k] 4\napp;fast_[p] 16\n",
		       "app;fast_[p] 16\napp;g 1\napp;go_[k] 4\napp;h 2\napp;run 8\n",
		       "app;fast_[p] 16\napp;g 1\napp;go_[k] 4\napp;h 2\n");
	assert_pair(0, "slow_[p]", "fast_[p]");
	assert_pairs(4);
}

TEST(a_name_of_another_kind_can_be_given)
{
	static const struct runs_rename rename = { "slow_[p]", "fast" };

	options.renames = &rename;
	options.rename_count = 1;
	assert_matched("app;slow_[p] 1\n", "app;fast 1\n", "app;fast 1\n", "app;fast 1\n");
}

TEST(commands_can_be_renamed)
{
	static const struct runs_rename rename = { "old", "sh" };

	options.renames = &rename;
	options.rename_count = 1;
	options.exact = true;
	assert_matched("old;f 5\nold;[old] 2\nmv;f.cold 1\n", "sh;f 6\nsh;[sh] 1\ncp;f 9\n",
		       "mv;f.cold 1\nsh;[sh] 2\nsh;f 5\n", "cp;f 9\nsh;[sh] 1\nsh;f 6\n");
}

TEST(nothing_is_matched_where_names_are_to_be_equal)
{
	options.exact = true;
	assert_apart("old;f.part.0 5\n", "new;f 6\n");
	assert_pairs(0);
}

TEST(entries_of_the_machine_are_noise_and_no_system_calls)
{
	static const char *const noise[] = { "asm_sysvec_apic_timer_interrupt_[k]",
					     "asm_common_interrupt_[k]",
					     "__irq_exit_rcu_[k]",
					     "handle_softirqs_[k]",
					     "__do_softirq_[k]",
					     "el0t_64_irq_handler_[k]",
					     "el1h_64_irq_[k]",
					     "perf_event_task_tick_[k]",
					     "__perf_event_overflow_[k]",
					     "asm_exc_nmi_[k]",
					     "[preempted]" };
	static const char *const work[] = { "main",
					    "asm_exc_page_fault_[k]",
					    "entry_SYSCALL_64_after_hwframe_[k]",
					    "el0_svc_[k]",
					    "schedule_[k]",
					    "irqentry_exit_to_user_mode_[k]",
					    "perf_report",
					    "common_interrupt_handler::run",
					    "softirq" };

	for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++)
		if (!match_is_noise(noise[i]))
			fail_msg("%s", noise[i]);
	for (size_t i = 0; i < sizeof(work) / sizeof(work[0]); i++)
		if (match_is_noise(work[i]))
			fail_msg("%s", work[i]);
}

TEST(noise_is_left_out_of_the_stacks_and_summed)
{
	add(RUNS_BEFORE, "app;main;f 1000\napp;main;f;irq_exit_rcu_[k];run_[k] 10\n");
	add(RUNS_AFTER, "app;main;f 900\napp;main;[preempted] 7\n");
	add(RUNS_AFTER, "app;main;f 950\n");
	assert_int_equal(runs_settle(runs), 0);
	assert_int_equal(runs_count(runs, RUNS_BEFORE), 1);
	assert_int_equal(runs_count(runs, RUNS_AFTER), 2);
	folded_text_is(runs, RUNS_BEFORE, 0, "app;main;f 1000\n");
	folded_text_is(runs, RUNS_AFTER, 0, "app;main;f 900\n");
	folded_text_is(runs, RUNS_AFTER, 1, "app;main;f 950\n");
	assert_true(runs_noise(runs, 0) == 10);
	assert_true(runs_noise(runs, 1) == 7);
	assert_true(runs_noise(runs, 2) == 0);
}

TEST(outer_frames_are_no_noise)
{
	options.outer = 2;
	add(RUNS_BEFORE, "app;[preempted];f 1\napp;[preempted];[preempted] 2\n");
	assert_int_equal(runs_settle(runs), 0);
	folded_text_is(runs, RUNS_BEFORE, 0, "app;[preempted];f 1\n");
}

TEST(more_runs_can_be_added_and_settled)
{
	add(RUNS_BEFORE, "app;f 1\n");
	assert_int_equal(runs_settle(runs), 0);
	assert_int_equal(runs_add(runs, RUNS_BEFORE, folded_text_tree("app;g 2\n"), 3), 0);
	assert_int_equal(runs_settle(runs), 0);
	folded_text_is(runs, RUNS_BEFORE, 0, "app;f 1\n");
	folded_text_is(runs, RUNS_BEFORE, 1, "app;g 2\n");
	assert_true(runs_per_sample(runs, RUNS_BEFORE) == 2);
	assert_true(runs_per_sample(runs, RUNS_AFTER) == 0);
}

TEST(a_caller_whose_callees_are_all_noise_is_left_out)
{
	const struct frame *app;

	add(RUNS_BEFORE, "app;main;idle;[preempted];x 3\napp;main;f 2\n");
	assert_int_equal(runs_settle(runs), 0);
	folded_text_is(runs, RUNS_BEFORE, 0, "app;main;f 2\n");
	app = frame_tree_root(runs_tree(runs, 0))->first_child;
	assert_null(app->first_child->first_child->next_sibling);
}
