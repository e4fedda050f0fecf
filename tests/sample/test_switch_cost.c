/* What a switch costs under a clock is measured, or said to be unknown, and nothing is left open.
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/resource.h>
#include <unistd.h>

#include "runtime/sample/perf/switches.h"
#include "runtime/sample/sys/sys.h"
#include "tests/support/unit.h"

#define MS 1000000ULL

static struct perf_event_attr clock_of_ours = {
	.type = PERF_TYPE_SOFTWARE,
	.size = sizeof(clock_of_ours),
	.config = PERF_COUNT_SW_TASK_CLOCK,
	.sample_period = 1001001,
	.exclude_kernel = 1,
	.exclude_hv = 1,
};

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
	int fd = sys_perf_event_open(&clock_of_ours, 0, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		skip(); /* no perf events here */
	return fd;
}

TEST(a_switch_costs_more_than_nothing)
{
	int fd = open_clock(), before = lowest_free();
	uint64_t ns = switches_measure_cost(&clock_of_ours);

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
	assert_int_equal(switches_measure_cost(&clock_of_ours), 0);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
	close(fd);
}
