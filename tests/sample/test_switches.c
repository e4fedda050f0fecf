/* The clocks of threads that start are paid for by CPU time, and by a second of it in advance. What
 * a switch costs under a clock is measured, or said to be unknown, and nothing is left open. */

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "runtime/sample/perf/clock.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/perf/switches.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/sys.h"
#include "tests/support/unit.h"

#define MS	   1000000ULL
#define COST_NS	   50000
#define IN_ADVANCE 400 /* as often fits into 2 % of a second */
#define PERIOD_NS  1001001

static struct plan plan = {
	.engine = SPOOL_ENGINE_SIGTRAP,
	.events.count = 1,
	.available = { true },
	.attr = { {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = PERIOD_NS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	} },
};

UNIT(setup)
{
	sys_start();
	switches_plan(&plan);
	start_budget_forget();
	return 0;
}

static void spend(unsigned times)
{
	for (unsigned i = 0; i < times; i++)
		start_budget_spend(machine_time_now_ns() - COST_NS);
}

static void burn(uint64_t cpu_ns)
{
	uint64_t end_ns = machine_time_ns(CLOCK_PROCESS_CPUTIME_ID) + cpu_ns;

	while (machine_time_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns)
		;
}

static void need_clock(void)
{
	if (!siginfo_timer_is_gentle())
		skip(); /* no clock is replaced on this machine */
}

static unsigned with_clock;

/* Draws as often; adds up for how many threads those with a clock stand. */
static unsigned drawn(unsigned threads)
{
	unsigned stand_for = 0;

	with_clock = 0;
	for (unsigned i = 0; i < threads; i++) {
		uint32_t one = start_budget_draw();

		stand_for += one;
		with_clock += one != 0;
	}
	return stand_for;
}

TEST(a_budget_is_two_percent)
{
	need_clock();
	assert_int_equal(switches_budget(), 50);
}

TEST(the_first_threads_have_clocks)
{
	need_clock();
	spend(IN_ADVANCE / 5); /* an interruption counts as two, at most */
	assert_int_equal(drawn(100), 100);
	assert_int_equal(with_clock, 100);
}

TEST(then_some_stand_for_all)
{
	need_clock();
	spend(2 * IN_ADVANCE);
	/* 64 for one, of which a thousand are drawn: 5 standard deviations are 16 % */
	assert_in_range(drawn(64000), 64000 * 84 / 100, 64000 * 116 / 100);
	assert_in_range(with_clock, 840, 1160);
}

TEST(cpu_time_pays_for_more)
{
	need_clock();
	spend(2 * IN_ADVANCE);
	start_budget_draw();
	burn(600 * MS);
	assert_int_equal(drawn(10), 10);
	assert_int_equal(with_clock, 10);
}

TEST(the_child_of_a_fork_has_spent_nothing)
{
	need_clock();
	spend(4 * IN_ADVANCE);
	start_budget_forget();
	assert_int_equal(drawn(10), 10);
	assert_int_equal(with_clock, 10);
}

TEST(a_very_long_time_was_another_program_s)
{
	need_clock();
	start_budget_spend(machine_time_now_ns() - 3600000 * MS);
	assert_int_equal(start_budget_draw(), 1);
}

/* The lowest descriptor that is free. */
static int lowest_free(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	close(fd);
	return fd;
}

static int open_clock(void)
{
	int fd = sys_perf_event_open(&plan.attr[0], 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		skip(); /* no perf events here */
	return fd;
}

TEST(a_switch_costs_more_than_nothing)
{
	int fd = open_clock(), before = lowest_free();
	uint64_t ns = switches_measure_cost(&plan.attr[0]);

	assert_true(ns > 0 && ns < MS);
	assert_int_equal(lowest_free(), before);
	close(fd);
}

TEST(without_a_descriptor_it_is_not_known)
{
	int fd = open_clock();
	struct rlimit before, none;

	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = (struct rlimit){ 0, before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_int_equal(switches_measure_cost(&plan.attr[0]), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	close(fd);
}
