/*
 * Order within a thread: open and map leaders and members, enable the leaders (which enables
 * the groups), close the descriptors.  An overflow can arrive as soon as a leader is enabled.
 */
#include "runtime/sample/group.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>

#include "config/settings.h"
#include "runtime/sample/sys.h"

#define PAGE_BYTES	  4096UL
#define PAGES_WITH_KERNEL 16 /* a long system call leaves many records before one signal */
#define PAGES_USER_ONLY	  1  /* each record has its signal */
#define MAX_RATE_PATH	  "/proc/sys/kernel/perf_event_max_sample_rate"

static uint64_t max_rate_hz(void)
{
	int fd = sys_open(MAX_RATE_PATH, 0, 0);
	char digits[24];
	uint64_t rate = 0;
	long size;

	if (fd < 0)
		return 100000; /* the kernel's default */
	size = sys_read(fd, digits, sizeof(digits));
	sys_close(fd);
	for (long i = 0; i < size && digits[i] >= '0' && digits[i] <= '9'; i++)
		rate = rate * 10 + (uint64_t)(digits[i] - '0');
	return rate ? rate : 1;
}

/* What the kernel must write so that record.c can read it. */
static void complete_attr(const struct group_plan *plan, unsigned counter)
{
	struct perf_event_attr *attr = (struct perf_event_attr *)&plan->attr[counter];
	bool leads = plan->events.event[counter].leader == counter;

	attr->size = sizeof(*attr);
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->read_format = plan->format.read_format;
	if (!leads) {
		attr->sample_period = 0;
		attr->freq = 0;
		return;
	}
	attr->disabled = 1;
	attr->sigtrap = 1;
	attr->remove_on_exec = 1; /* which sigtrap demands */
	attr->sig_data = GROUP_COOKIE;
	attr->sample_type = plan->format.sample_type;
	attr->exclude_callchain_user = 1;
	attr->comm = 1;
	attr->watermark = 1; /* nobody polls: no wake-up per record */
	attr->wakeup_watermark = UINT32_MAX;
}

static void make_attrs(struct group_plan *plan, const struct settings *settings, uint64_t rate_hz)
{
	plan->format.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ |
				   (plan->kernel ? PERF_SAMPLE_CALLCHAIN : 0);
	plan->ring_pages = plan->kernel ? PAGES_WITH_KERNEL : PAGES_USER_ONLY;
	for (unsigned i = 0; i < plan->events.count; i++) {
		memset(&plan->attr[i], 0, sizeof(plan->attr[i]));
		events_attr(&plan->events.event[i], settings->period, rate_hz, plan->kernel,
			    &plan->attr[i]);
		complete_attr(plan, i);
	}
}

static int try_open(const struct group_plan *plan, unsigned counter, int leader_fd)
{
	struct perf_event_attr attr = plan->attr[counter]; /* the kernel may write its size */

	return sys_perf_event_open(&attr, 0, leader_fd, PERF_FLAG_FD_CLOEXEC);
}

/* Does this counter open under these attributes?  0 or -errno. */
static int probe(const struct group_plan *plan, unsigned counter)
{
	unsigned leader = plan->events.event[counter].leader;
	int leader_fd = -1, fd;

	if (leader != counter) {
		leader_fd = try_open(plan, leader, -1);
		if (leader_fd < 0)
			return leader_fd;
	}
	fd = try_open(plan, counter, leader_fd);
	if (fd >= 0)
		sys_close(fd);
	if (leader_fd >= 0)
		sys_close(leader_fd);
	return fd < 0 ? fd : 0;
}

/* Find the richest form in which a counter opens; narrows the plan for all of them. */
static int probe_downwards(struct group_plan *plan, const struct settings *settings,
			   uint64_t rate_hz, unsigned counter)
{
	int err = probe(plan, counter);

	if (err == -EINVAL && plan->format.read_format & PERF_FORMAT_LOST) { /* before Linux 6.0 */
		plan->format.read_format &= ~(uint64_t)PERF_FORMAT_LOST;
		make_attrs(plan, settings, rate_hz);
		err = probe(plan, counter);
		if (err) {
			plan->format.read_format |= PERF_FORMAT_LOST;
			make_attrs(plan, settings, rate_hz);
		}
	}
	if ((err == -EACCES || err == -EPERM) && plan->kernel) {
		plan->kernel = false;
		make_attrs(plan, settings, rate_hz);
		err = probe(plan, counter);
	}
	return err;
}

static void take_task_clock(struct group_plan *plan)
{
	struct complaint unused;

	events_parse(&plan->events, "task-clock", &unused);
	plan->events.defaulted = true;
}

static uint64_t period_ns(const struct perf_event_attr *attr, const struct event *event)
{
	if (attr->freq)
		return event->type == PERF_TYPE_HARDWARE || event->unit == EVENTS_UNIT_NS
			       ? 1000000000ULL / attr->sample_freq
			       : 0;
	return event->unit == EVENTS_UNIT_NS ? attr->sample_period : 0;
}

static void note_period(struct group_plan *plan, unsigned counter)
{
	uint64_t ns = period_ns(&plan->attr[counter], &plan->events.event[counter]);

	if (ns && (!plan->busy_period_ns || ns < plan->busy_period_ns))
		plan->busy_period_ns = ns;
}

int group_plan(struct group_plan *plan, const struct settings *settings)
{
	uint64_t rate_hz = settings->frequency_hz;
	bool any = false;

	if (rate_hz == UINT64_MAX)
		rate_hz = max_rate_hz();
	plan->events = settings->events;
	plan->kernel = settings->kernel != SETTINGS_KERNEL_NO;
	plan->format.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_LOST |
				   PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	make_attrs(plan, settings, rate_hz);
	for (unsigned i = 0; i < plan->events.count; i++) {
		bool leads = plan->events.event[i].leader == i;
		int err = probe_downwards(plan, settings, rate_hz, i);

		if (err && plan->events.defaulted &&
		    plan->events.event[i].type == PERF_TYPE_HARDWARE) {
			take_task_clock(plan);
			make_attrs(plan, settings, rate_hz);
			err = probe_downwards(plan, settings, rate_hz, i);
		}
		plan->available[i] = !err;
		any |= !err && leads;
		if (err && !plan->refused) {
			plan->refused = err;
			plan->refused_event = i;
		}
		if (!err && leads)
			note_period(plan, i);
	}
	return any ? 0 : plan->refused;
}

static int open_member(struct group *group, const struct group_plan *plan, unsigned counter,
		       int leader_fd)
{
	int fd = try_open(plan, counter, leader_fd), err;

	if (fd < 0)
		return fd;
	err = sys_mmap(&group->page[group->descriptors], PAGE_BYTES, PROT_READ | PROT_WRITE,
		       MAP_SHARED, fd);
	if (err) {
		sys_close(fd);
		return err;
	}
	group->fd[group->descriptors++] = fd;
	return 0;
}

static int open_leader(struct group *group, const struct group_plan *plan, unsigned counter)
{
	struct group_leader *leader = &group->leader[group->leaders];
	int fd = try_open(plan, counter, -1);
	int err;

	if (fd < 0)
		return fd;
	err = ring_map(&leader->ring, fd, plan->ring_pages);
	if (err) {
		sys_close(fd);
		return err;
	}
	group->page[group->descriptors] = NULL;
	group->fd[group->descriptors++] = fd;
	group->leaders++;
	memset(&leader->last, 0, sizeof(leader->last));
	leader->counter[0] = counter;
	leader->count = 1;
	for (unsigned i = 0; i < plan->events.count; i++) {
		if (i == counter || plan->events.event[i].leader != counter || !plan->available[i])
			continue;
		if (!open_member(group, plan, i, fd))
			leader->counter[leader->count++] = i;
	}
	return 0;
}

static void close_descriptors(struct group *group, bool keep_pages)
{
	for (unsigned i = 0; i < EVENTS_MAX; i++) {
		if (i < group->descriptors && group->fd[i] >= 0)
			sys_close(group->fd[i]);
		group->fd[i] = -1;
		if (!keep_pages && group->page[i]) {
			sys_munmap(group->page[i], PAGE_BYTES);
			group->page[i] = NULL;
		}
	}
	group->descriptors = 0;
}

int group_open(struct group *group, const struct group_plan *plan)
{
	int err = -ENOENT;

	memset(group->page, 0, sizeof(group->page));
	group->leaders = group->descriptors = 0;
	for (unsigned i = 0; i < plan->events.count; i++) {
		if (plan->events.event[i].leader != i || !plan->available[i])
			continue;
		err = open_leader(group, plan, i);
		if (err) {
			group_close(group);
			return err;
		}
	}
	return group->leaders ? 0 : err;
}

int group_arm(struct group *group)
{
	int err = 0;

	for (unsigned i = 0; i < group->descriptors; i++)
		if (!group->page[i] && !err) /* a leader */
			err = sys_ioctl(group->fd[i], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	close_descriptors(group, true);
	return err;
}

void group_close(struct group *group)
{
	close_descriptors(group, false);
	for (unsigned i = 0; i < group->leaders; i++)
		ring_unmap(&group->leader[i].ring);
	group->leaders = 0;
}

void group_forget(struct group *group)
{
	memset(group->page, 0, sizeof(group->page));
	for (unsigned i = 0; i < group->leaders; i++)
		group->leader[i].ring.page = NULL;
	group->leaders = 0;
	group->descriptors = 0;
}
