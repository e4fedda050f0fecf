/* Two profiles: shares are compared, and a change is distinguished from chance. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/report/compare.h"
#include "tests/support/folded_text.h"
#include "tests/support/unit.h"

static char *table_of(const char *before, const char *after, const struct compare_options *options,
		      int expected)
{
	struct frame_tree *tree[2] = { folded_text_tree(before), folded_text_tree(after) };
	char *text = NULL;
	size_t bytes;
	FILE *file = open_memstream(&text, &bytes);

	assert_non_null(file);
	assert_int_equal(compare_write(tree[0], tree[1], options, file), expected);
	fclose(file);
	frame_tree_free(tree[0]);
	frame_tree_free(tree[1]);
	return text;
}

TEST(z_is_that_of_the_two_proportion_test)
{
	/* 45 of 100 and 60 of 100: pooled .525, error .070622, z 2.12398 */
	assert_true(fabs(compare_z(45, 100, 60, 100) - 2.12398) < 1e-4);
	assert_true(fabs(compare_z(60, 100, 45, 100) + 2.12398) < 1e-4);
	/* 10 of 1000 and 40 of 2000: pooled 1/60, error .00495823, z 2.01685 */
	assert_true(fabs(compare_z(10, 1000, 40, 2000) - 2.01685) < 1e-4);
}

TEST(z_of_nothing_or_everything_is_zero)
{
	assert_true(compare_z(0, 100, 0, 200) == 0);
	assert_true(compare_z(100, 100, 200, 200) == 0);
	assert_true(compare_z(0, 0, 5, 10) == 0);
}

TEST(more_functions_need_more_evidence)
{
	assert_true(compare_is_beyond_noise(2.0, 1));
	assert_false(compare_is_beyond_noise(1.9, 1));
	assert_false(compare_is_beyond_noise(2.0, 100));
	assert_true(compare_is_beyond_noise(-3.5, 100));
	assert_false(compare_is_beyond_noise(9, 0));
}

/* Profiles drawn from the same shares rarely differ beyond noise, whatever their sizes. */
TEST(chance_alone_is_seldom_called_a_change)
{
	uint64_t random = 88172645463325252ULL;
	unsigned alarms = 0;

	for (unsigned trial = 0; trial < 400; trial++) {
		uint64_t part[2] = { 0, 0 };
		const uint64_t whole[2] = { 1000, 3000 };

		for (int side = 0; side < 2; side++) {
			for (uint64_t i = 0; i < whole[side]; i++) {
				random ^= random << 13;
				random ^= random >> 7;
				random ^= random << 17;
				part[side] += (random >> 11) % 10 < 3;
			}
		}
		alarms +=
			compare_is_beyond_noise(compare_z(part[0], whole[0], part[1], whole[1]), 1);
	}
	/* 20 of 400 expected; 45 or none would be six standard deviations away, or four */
	assert_in_range(alarms, 1, 45);
}

TEST(shares_are_compared_not_counts)
{
	const struct compare_options options = { .samples = true };
	char *text = table_of("app;f 100\napp;g 300\n", "app;f 1000\napp;g 1000\n", &options, 0);

	assert_non_null(
		strstr(text, "      100     1000      +900   25.00   50.00  +25.00    9.2 * f\n"));
	assert_non_null(
		strstr(text, "      300     1000      +700   75.00   50.00  -25.00   -9.2 * g\n"));
	assert_null(strstr(text, "app"));
	free(text);
}

TEST(what_is_in_one_profile_only_is_listed)
{
	const struct compare_options options = { .samples = true };
	char *text =
		table_of("app;old 10\napp;both 10\n", "app;new 10\napp;both 10\n", &options, 0);

	assert_non_null(strstr(text, "    0.00   50.00  +50.00"));
	assert_non_null(strstr(text, "   50.00    0.00  -50.00"));
	assert_null(strstr(text, "both"));
	free(text);
}

TEST(recursion_counts_once_in_totals)
{
	const struct compare_options options = { .samples = true };
	char *text = table_of("app;f;g;f 10\napp;h 10\n", "app;f;g;f 5\napp;h 15\n", &options, 0);
	const char *totals = strstr(text, "with all it called");

	assert_non_null(totals);
	assert_non_null(strstr(totals, "   50.00   25.00  -25.00"));
	free(text);
}

TEST(rows_are_limited_and_ordered_by_change)
{
	const struct compare_options options = { .samples = true, .rows = 1 };
	char *text = table_of("app;a 10\napp;b 10\napp;c 80\n", "app;a 11\napp;b 39\napp;c 50\n",
			      &options, 0);

	assert_non_null(strstr(text, " c\n"));
	assert_null(strstr(text, " a\n"));
	assert_null(strstr(text, " b\n"));
	free(text);
}

TEST(nothing_is_said_of_noise_when_values_are_no_samples)
{
	const struct compare_options options = { .samples = false };
	char *text = table_of("app;a 10\napp;b 90\n", "app;a 90\napp;b 10\n", &options, 0);

	assert_null(strchr(text, '*'));
	assert_non_null(strstr(text, "noise is not estimated"));
	free(text);
}

TEST(names_are_safe_for_terminals_and_cut_to_fit)
{
	const struct compare_options options = { .samples = true, .columns = 86 };
	char *text =
		table_of("app;a\x1b[31m 10\napp;b 10\n",
			 "app;b 10\napp;a_name_of_more_than_thirty_characters 10\n", &options, 0);

	assert_null(strchr(text, '\x1b'));
	assert_non_null(strstr(text, "a\xef\xbf\xbd[31m"));
	assert_non_null(strstr(text, "a_name_of_more_than_th..\n"));
	free(text);
}

TEST(an_empty_profile_cannot_be_compared)
{
	const struct compare_options options = { .samples = true };
	char *text = table_of("app;a 10\n", "\n", &options, -ENODATA);

	free(text);
}

TEST(equal_profiles_show_no_change)
{
	const struct compare_options options = { .samples = true };
	char *text = table_of("app;a 10\n", "app;a 10\n", &options, 0);

	assert_non_null(strstr(text, "no function changed"));
	free(text);
	text = table_of("app;a 10\napp;b 10\n", "app;a 20\napp;b 20\n", &options, 0);
	assert_non_null(strstr(text, "no function changed"));
	free(text);
}

TEST(the_whole_s_change_comes_first_in_numbers)
{
	const struct compare_options options = { .samples = true };
	char *text = table_of("app;f 100\napp;g 300\n", "app;f 150\napp;g 300\n", &options, 0);

	assert_int_equal(strncmp(text, "change +50 samples (+12.5 %)\n", 29), 0);
	assert_non_null(strstr(text, "      100      150       +50   25.00   33.33   +8.33"));
	assert_non_null(strstr(text, "      300      300        +0   75.00   66.67   -8.33"));
	assert_null(strstr(text, "noise  "));
	free(text);
}

TEST(large_values_are_told_in_a_larger_unit)
{
	const struct compare_options options = { .unit = "ns" };
	char *text = table_of("app;f 1500000000\napp;g 500000000\n",
			      "app;f 1500000000\napp;g 2500000000\n", &options, 0);

	assert_non_null(strstr(text, "change +2000000000 ns (+100.0 %)\n"));
	assert_non_null(strstr(text, "   500000  2500000  +2000000   25.00   62.50"));
	assert_non_null(strstr(text, "Values in us, "));
	free(text);
}

/* What the machine took makes no function's share smaller, and is no change of its callers. */
TEST(noise_is_a_row_of_its_own_and_takes_no_part)
{
	const struct compare_options options = { .samples = true };
	char *text = table_of("app;main;f 1000\napp;main;g 3000\n"
			      "app;main;f;asm_sysvec_apic_timer_interrupt_[k];ktime_get_[k] 10\n",
			      "app;main;f 1000\napp;main;g 3000\n"
			      "app;main;f;asm_sysvec_apic_timer_interrupt_[k];ktime_get_[k] 900\n"
			      "app;main;g;do_syscall_64_[k];schedule_[k];[preempted] 400\n",
			      &options, 0);

	assert_non_null(strstr(text, "change +1290 samples (+32.2 %)\n"));
	assert_non_null(strstr(text, "noise  10 samples before, 1300 after: "));
	assert_non_null(strstr(text, "no function changed"));
	assert_null(strstr(text, "* f"));
	assert_null(strstr(text, "[preempted]"));
	assert_null(strstr(text, "ktime_get"));
	free(text);
	text = table_of("app;[preempted] 5\n", "app;f 5\n", &options, 0);
	assert_non_null(strstr(text, "nothing to compare"));
	free(text);
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
		if (!compare_is_noise(noise[i]))
			fail_msg("%s", noise[i]);
	for (size_t i = 0; i < sizeof(work) / sizeof(work[0]); i++)
		if (compare_is_noise(work[i]))
			fail_msg("%s", work[i]);
}
