/* A group that never gets onto its PMU is distinguished from one that waits for its turn, on a
 * made-up kernel whose counters are enabled for a millisecond between two reads. */

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <linux/perf_event.h>

#include "config/events/events.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/plan/plan_make.h"
#include "runtime/sample/sys/sys.h"
#include "tests/support/unit.h"

#define FIRST_FD 100

static struct {
	unsigned opened, closed, reads;
	int leader[EVENTS_MAX]; /* descriptor of each one's leader */
	unsigned runs_at;	/* the read at which it has run; 0: never */
	int refuses;		/* answer to every open */
} kernel;

WRAP(int, sys_perf_event_open, struct perf_event_attr *attr, pid_t tid, int group,
     unsigned long flags)
{
	assert_true(flags & PERF_FLAG_FD_CLOEXEC);
	assert_int_equal(tid, 0);
	assert_int_equal(attr->sample_period | attr->sigtrap | attr->sample_type, 0);
	assert_int_equal(attr->disabled, group < 0);
	if (kernel.refuses)
		return kernel.refuses;
	kernel.leader[kernel.opened] = group;
	return FIRST_FD + (int)kernel.opened++;
}

WRAP(int, sys_ioctl, int fd, unsigned long request, unsigned long argument)
{
	assert_int_equal(fd, FIRST_FD);
	assert_int_equal(request, PERF_EVENT_IOC_ENABLE);
	assert_int_equal(argument, PERF_IOC_FLAG_GROUP);
	return 0;
}

WRAP(long, sys_read, int fd, void *bytes, size_t size)
{
	uint64_t values[3] = { 0 };

	assert_int_equal(fd, FIRST_FD);
	assert_int_equal(size, sizeof(values));
	kernel.reads++;
	values[1] = kernel.reads * 1000000ULL;
	values[2] = kernel.runs_at && kernel.reads >= kernel.runs_at ? 1 : 0;
	memcpy(bytes, values, sizeof(values));
	return (long)sizeof(values);
}

WRAP(int, sys_close, int fd)
{
	assert_in_range(fd, FIRST_FD, FIRST_FD + kernel.opened - 1);
	kernel.closed++;
	return 0;
}

static int probe(const char *text, unsigned runs_at)
{
	static struct plan plan;
	struct complaint complaint;
	int err;

	memset(&plan, 0, sizeof(plan));
	memset(&kernel, 0, sizeof(kernel));
	kernel.runs_at = runs_at;
	assert_int_equal(events_parse(&plan.events, text, &complaint), 0);
	for (unsigned i = 0; i < plan.events.count; i++) {
		events_attr(&plan.events.event[i], 0, 999, true, &plan.attr[i]);
		plan.attr[i].disabled = 1;
		plan.available[i] = true;
	}
	err = plan_probe_run(&plan, 0);
	assert_int_equal(kernel.closed, kernel.opened);
	return err;
}

TEST(a_group_that_runs_is_seen_at_once)
{
	assert_int_equal(probe("{cycles,instructions}:u", 1), 0);
	assert_int_equal(kernel.reads, 1);
	assert_int_equal(kernel.opened, 2);
	assert_int_equal(kernel.leader[0], -1);
	assert_int_equal(kernel.leader[1], FIRST_FD);
}

TEST(one_that_waits_for_its_turn_is_waited_for)
{
	assert_int_equal(probe("{cycles,instructions}:u", 21), 0); /* two ticks of 10 ms */
	assert_int_equal(kernel.reads, 21);
}

TEST(one_that_is_enabled_and_never_runs_is_found)
{
	assert_int_equal(probe("{cycles,instructions,cache-misses}:u", 0), -ETIME);
	assert_int_equal(kernel.opened, 3);
	assert_in_range(kernel.reads, 22, 30);
}

TEST(software_always_runs_and_is_not_tried)
{
	assert_int_equal(probe("{task-clock,page-faults}", 0), 0);
	assert_int_equal(kernel.opened, 0);
	assert_int_equal(probe("{task-clock,cycles}", 0), -ETIME); /* a member needs the PMU */
}
