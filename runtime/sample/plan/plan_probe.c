/*
 * A group opens even if the PMU has no room for it because another user holds a counter (the NMI
 * watchdog).  Such a group is enabled and never runs.  perf_event_open(2), BUGS, advises to start
 * it and read it.  The trial counts without sampling, because no handler is installed yet.
 */
#include "runtime/sample/plan/plan_make.h"

#include <errno.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <time.h>
#include <linux/perf_event.h>

#include "runtime/sample/perf/plan.h"
#include "runtime/sample/sys/sys.h"

#define RUN_TRIES 1000000
/* Groups that share the PMU with another profiler are rotated at a tick, every 10 ms at most. */
#define IDLE_NS 25000000

static int open_attr(const struct perf_event_attr *attr, int leader_fd)
{
	struct perf_event_attr copy = *attr; /* the kernel may write its size */

	return sys_perf_event_open(&copy, 0, leader_fd, PERF_FLAG_FD_CLOEXEC);
}

void plan_probe_begin(struct plan_probe *probe)
{
	for (unsigned i = 0; i < EVENTS_MAX; i++)
		probe->fd[i] = -1;
}

void plan_probe_end(struct plan_probe *probe)
{
	for (unsigned i = 0; i < EVENTS_MAX; i++)
		if (probe->fd[i] >= 0)
			sys_close(probe->fd[i]);
	plan_probe_begin(probe);
}

int plan_probe_open(struct plan_probe *probe, const struct plan *plan, unsigned counter)
{
	unsigned leader = plan->events.event[counter].leader;
	int leader_fd = leader == counter ? -1 : probe->fd[leader];
	int fd;

	if (leader != counter && leader_fd < 0)
		return -ENOENT; /* the refusal of the leader itself was noted */
	fd = open_attr(&plan->attr[counter], leader_fd);
	if (fd < 0)
		return fd;
	probe->fd[counter] = fd;
	return 0;
}

/* Only software events accept clocks that cannot be read in an NMI (perf_event_set_clock in
 * kernel/events/core.c). */
int plan_probe_explain(const struct plan_probe *probe, const struct plan *plan, unsigned counter,
		       int err)
{
	unsigned leader = plan->events.event[counter].leader;
	struct perf_event_attr attr = plan->attr[counter];
	int fd;

	if (err != -EINVAL || !plan->events.event[leader].has_clock)
		return err;
	attr.clockid = CLOCK_MONOTONIC;
	fd = open_attr(&attr, leader == counter ? -1 : probe->fd[leader]);
	if (fd < 0)
		return err;
	sys_close(fd);
	return -EDOM;
}

static bool needs_pmu(const struct event *event)
{
	return event->type != PERF_TYPE_SOFTWARE && event->type != PERF_TYPE_TRACEPOINT &&
	       event->type != PERF_TYPE_BREAKPOINT && !event->symbol[0] && !event->path[0];
}

static int open_counting(struct plan_probe *probe, const struct plan *plan, unsigned counter,
			 int leader_fd)
{
	struct perf_event_attr attr = plan->attr[counter];

	attr.sigtrap = attr.remove_on_exec = 0;
	attr.sample_period = 0;
	attr.freq = 0;
	attr.sample_type = 0;
	attr.disabled = leader_fd < 0;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	probe->fd[counter] = open_attr(&attr, leader_fd);
	return probe->fd[counter];
}

/* Reads the value, the time enabled and the time running.  Time enabled grows only while this
 * thread runs, so the loop spins. */
static int runs(int fd)
{
	uint64_t read[3] = { 0 };

	if (sys_ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP))
		return 0;
	for (unsigned i = 0; i < RUN_TRIES && read[1] < IDLE_NS; i++) {
		if (sys_read(fd, read, sizeof(read)) != sizeof(read) || read[2])
			return 0;
	}
	return read[1] ? -ETIME : 0;
}

int plan_probe_run(const struct plan *plan, unsigned leader)
{
	struct plan_probe probe;
	bool hardware = false;
	int err = 0;

	plan_probe_begin(&probe);
	for (unsigned i = 0; i < plan->events.count; i++)
		hardware |= plan->events.event[i].leader == leader && plan->available[i] &&
			    needs_pmu(&plan->events.event[i]);
	if (!hardware || open_counting(&probe, plan, leader, -1) < 0)
		return 0;
	for (unsigned i = 0; i < plan->events.count; i++)
		if (i != leader && plan->events.event[i].leader == leader && plan->available[i])
			open_counting(&probe, plan, i, probe.fd[leader]);
	err = runs(probe.fd[leader]);
	plan_probe_end(&probe);
	return err;
}
