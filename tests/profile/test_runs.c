/* Runs of two sides are made comparable: noise is set apart, in each run by itself. */
#include "runtime/compare/match/match.h"
#include "runtime/compare/runs.h"
#include "runtime/profile/tree/frame_tree.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"

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

static struct runs *runs_of(const struct runs_options *options)
{
	struct runs *runs = runs_new(options);

	assert_non_null(runs);
	return runs;
}

TEST(noise_is_left_out_of_the_stacks_and_summed)
{
	struct runs *runs = runs_of(&(struct runs_options){ 0 });

	folded_text_add(runs, RUNS_BEFORE,
			"app;main;f 1000\napp;main;f;irq_exit_rcu_[k];run_[k] 10\n");
	folded_text_add(runs, RUNS_AFTER, "app;main;f 900\napp;main;[preempted] 7\n");
	folded_text_add(runs, RUNS_AFTER, "app;main;f 950\n");
	assert_int_equal(runs_settle(runs), 0);
	assert_int_equal(runs_count(runs, RUNS_BEFORE), 1);
	assert_int_equal(runs_count(runs, RUNS_AFTER), 2);
	folded_text_is(runs, RUNS_BEFORE, 0, "app;main;f 1000\n");
	folded_text_is(runs, RUNS_AFTER, 0, "app;main;f 900\n");
	folded_text_is(runs, RUNS_AFTER, 1, "app;main;f 950\n");
	assert_true(runs_noise(runs, 0) == 10);
	assert_true(runs_noise(runs, 1) == 7);
	assert_true(runs_noise(runs, 2) == 0);
	runs_free(runs);
}

TEST(outer_frames_are_no_noise)
{
	struct runs *runs = runs_of(&(struct runs_options){ .outer = 2 });

	folded_text_add(runs, RUNS_BEFORE, "app;[preempted];f 1\napp;[preempted];[preempted] 2\n");
	assert_int_equal(runs_settle(runs), 0);
	folded_text_is(runs, RUNS_BEFORE, 0, "app;[preempted];f 1\n");
	runs_free(runs);
}

TEST(more_runs_can_be_added_and_settled)
{
	struct runs *runs = runs_of(&(struct runs_options){ 0 });

	folded_text_add(runs, RUNS_BEFORE, "app;f 1\n");
	assert_int_equal(runs_settle(runs), 0);
	assert_int_equal(runs_add(runs, RUNS_BEFORE, folded_text_tree("app;g 2\n"), 3), 0);
	assert_int_equal(runs_settle(runs), 0);
	folded_text_is(runs, RUNS_BEFORE, 0, "app;f 1\n");
	folded_text_is(runs, RUNS_BEFORE, 1, "app;g 2\n");
	assert_true(runs_per_sample(runs, RUNS_BEFORE) == 2);
	assert_true(runs_per_sample(runs, RUNS_AFTER) == 0);
	runs_free(runs);
}

TEST(a_caller_whose_callees_are_all_noise_is_left_out)
{
	struct runs *runs = runs_of(&(struct runs_options){ 0 });
	const struct frame *app;

	folded_text_add(runs, RUNS_BEFORE, "app;main;idle;[preempted];x 3\napp;main;f 2\n");
	assert_int_equal(runs_settle(runs), 0);
	folded_text_is(runs, RUNS_BEFORE, 0, "app;main;f 2\n");
	app = frame_tree_root(runs_tree(runs, 0))->first_child;
	assert_null(app->first_child->first_child->next_sibling);
	runs_free(runs);
}
