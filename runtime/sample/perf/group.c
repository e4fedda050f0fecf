/*
 * Order within a thread: open and map leaders and members, enable the leaders (which enables the
 * groups), close the descriptors.  An overflow can arrive as soon as a leader is enabled.
 */
#include "runtime/sample/perf/group.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#include "config/events/known.h"
#include "runtime/sample/perf/counter_read.h"
#include "runtime/sample/perf/first_period.h"
#include "runtime/sample/perf/governor.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/sys/sys.h"

#define PAGE_BYTES  4096UL
#define PAGES_FIRST 2 /* of a ring for a first period */

int group_open_counter(const struct plan *plan, unsigned counter, int leader_fd,
		       const struct group_pace *pace)
{
	struct perf_event_attr attr = plan->attr[counter]; /* the kernel may write its size */
	int fd;

	if (leader_fd < 0 && pace->least)
		governor_slow(&attr, pace->least);
	if (leader_fd < 0 && pace->first) {
		attr.freq = 0; /* of a clock, which the kernel turns into a period */
		attr.sample_period = pace->first;
	}
	fd = sys_perf_event_open(&attr, 0, leader_fd, PERF_FLAG_FD_CLOEXEC);

	/* the kernel may have lowered its limit since the plan was made */
	if (fd == -EINVAL && governor_limit(&attr, governor_limit_hz()))
		fd = sys_perf_event_open(&attr, 0, leader_fd, PERF_FLAG_FD_CLOEXEC);
	return fd;
}

int group_send_signal(int fd, pid_t tid, int signal)
{
	struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = tid };
	int err = sys_fcntl(fd, F_SETOWN_EX, (unsigned long)&owner);

	if (!err)
		err = sys_fcntl(fd, F_SETSIG, (unsigned long)signal);
	if (!err)
		err = sys_fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
	return err;
}

static int open_member(struct group *group, const struct plan *plan, unsigned counter,
		       int leader_fd)
{
	int fd = group_open_counter(plan, counter, leader_fd, &(struct group_pace){ 0 }), err;

	if (fd < 0)
		return fd;
	err = event_mapping_make(&group->page[group->descriptors], PAGE_BYTES, fd);
	if (err) {
		sys_close(fd);
		return err;
	}
	group->fd[group->descriptors++] = fd;
	return 0;
}

/* Checked again, although the settings already refuse it: a refresh of a clock freezes Linux 6.16
 * and 6.17. */
static bool may_stop(const struct perf_event_attr *attr)
{
	return !known_is_clock(attr->type, attr->config);
}

/*
 * The kernel signals each overflow of a file that asked for signals (__perf_event_overflow in
 * kernel/events/core.c).  wakeup_events delays only the wake-ups of poll(2), not these signals.  So
 * the event that takes the samples asks for no signals.  A second event counts the same thing with
 * a period wakeup_events times as long, and signals.  It writes no records: its mapping has no room
 * for them.
 */
static int open_notifier(struct group_leader *leader, const struct plan *plan, unsigned counter,
			 int signal)
{
	uint64_t samples = plan->events.event[counter].wakeup_events;
	struct perf_event_attr attr = plan->attr[counter];
	int fd, err;

	attr.sample_type = attr.read_format = 0;
	attr.mmap = attr.mmap2 = attr.mmap_data = attr.ksymbol = attr.sample_id_all = 0;
	if (attr.freq)
		attr.sample_freq = attr.sample_freq > samples ? attr.sample_freq / samples : 1;
	else if (__builtin_mul_overflow(attr.sample_period, samples, &attr.sample_period) ||
		 attr.sample_period > INT64_MAX)
		attr.sample_period = INT64_MAX;
	fd = sys_perf_event_open(&attr, 0, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return fd;
	err = group_send_signal(fd, sys_gettid(), signal);
	if (!err)
		err = event_mapping_make(&leader->notifier, PAGE_BYTES, fd);
	if (err) {
		sys_close(fd);
		return err;
	}
	leader->notifier_fd = fd;
	return 0;
}

static int notify(struct group_leader *leader, const struct plan *plan, unsigned counter, int fd,
		  int signal)
{
	if (plan->engine != SPOOL_ENGINE_SIGIO)
		return 0;
	if (plan->events.event[counter].wakeup_events)
		return open_notifier(leader, plan, counter, signal);
	return group_send_signal(fd, sys_gettid(), signal);
}

static void drop_notifier(struct group_leader *leader, bool keep_page)
{
	if (leader->notifier_fd >= 0)
		sys_close(leader->notifier_fd);
	leader->notifier_fd = -1;
	if (!keep_page) {
		event_mapping_remove(leader->notifier, PAGE_BYTES);
		leader->notifier = NULL;
	}
}

/* A leader that cannot be replaced (reopen.c) begins with a full period, and so does one whose
 * period the kernel chooses, beginning with 1. */
static bool begins_anywhere(const struct plan *plan, unsigned counter)
{
	const struct event *event = &plan->events.event[counter];

	return !event->refresh && !event->wakeup_events &&
	       (!plan->attr[counter].freq || plan_period_is_clock(plan, counter));
}

static void begin_anywhere(struct group_leader *leader, const struct plan *plan, unsigned counter,
			   struct group_pace *pace)
{
	struct perf_event_attr attr = plan->attr[counter];
	uint64_t period;

	if (leader->resting || !begins_anywhere(plan, counter))
		return;
	if (pace->least)
		governor_slow(&attr, pace->least);
	period = governor_period(&attr);
	pace->first = first_period_draw(period, leader->clock ? FIRST_PERIOD_CLOCK_NS : 1, counter);
	if (pace->first >= period) {
		pace->first = 0; /* as planned */
		return;
	}
	leader->first = pace->first;
	leader->ahead = period - pace->first;
	leader->between = period;
}

/* A short thread pays for each page of its ring.  But where the kernel's side is sampled, the ring
 * holds what overflows until a system call ends. */
static unsigned first_pages(const struct group_leader *leader, const struct plan *plan)
{
	bool few =
		leader->between && leader->clock && plan->attr[leader->counter[0]].exclude_kernel;

	return few && plan->ring_pages > PAGES_FIRST ? PAGES_FIRST : plan->ring_pages;
}

static void name_leader(struct group_leader *leader, const struct plan *plan, unsigned counter)
{
	*leader = (struct group_leader){
		.counter[0] = counter,
		.count = 1,
		.clock = plan_period_is_clock(plan, counter),
		.of_time = plan_period_is_of_time(plan, counter),
		.notifier_fd = -1,
	};
}

static int open_leader(struct group *group, const struct plan *plan, unsigned counter, int signal,
		       uint64_t beat_ns)
{
	struct group_leader *leader = &group->leader[group->leaders];
	struct group_pace pace;
	int fd, err;

	name_leader(leader, plan, counter);
	leader->resting = beat_ns && leader->clock;
	pace = (struct group_pace){ .least = leader->resting ? beat_ns : governor_raised(counter) };
	begin_anywhere(leader, plan, counter, &pace);
	fd = group_open_counter(plan, counter, -1, &pace);
	if (fd < 0)
		return fd;
	err = notify(leader, plan, counter, fd, signal);
	if (!err)
		err = ring_map(&leader->ring, fd, first_pages(leader, plan));
	if (err) {
		drop_notifier(leader, false);
		sys_close(fd);
		return err;
	}
	group->page[group->descriptors] = NULL;
	group->fd[group->descriptors++] = fd;
	group->leaders++;
	leader->off_cpu = plan->events.event[counter].off_cpu;
	leader->refresh = may_stop(&plan->attr[counter]) ? plan->events.event[counter].refresh : 0;
	for (unsigned i = 0; i < plan->events.count; i++) {
		if (i == counter || plan->events.event[i].leader != counter || !plan->available[i])
			continue;
		err = open_member(group, plan, i, fd);
		if (err)
			group->refused = err;
		else
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
		if (!keep_pages) {
			event_mapping_remove(group->page[i], PAGE_BYTES);
			group->page[i] = NULL;
		}
	}
	group->descriptors = 0;
	for (unsigned i = 0; i < group->leaders; i++)
		drop_notifier(&group->leader[i], keep_pages);
}

static void reserve(struct group *group, const struct plan *plan, unsigned without)
{
	for (unsigned i = 0; i < plan->events.count; i++)
		if (plan->pending[i] || i == without)
			name_leader(&group->leader[group->leaders++], plan, i);
}

int group_open(struct group *group, const struct plan *plan, int signal, uint64_t beat_ns,
	       unsigned without)
{
	int err = -ENOENT;

	memset(group->page, 0, sizeof(group->page));
	group->leaders = group->descriptors = 0;
	group->refused = 0;
	group->loader.page = NULL;
	for (unsigned i = 0; i < plan->events.count; i++) {
		if (!plan_takes_samples(plan, i) || plan->pending[i] || i == without)
			continue;
		err = open_leader(group, plan, i, signal, beat_ns);
		if (err) {
			group_close(group);
			return err;
		}
	}
	reserve(group, plan, without);
	return group->leaders ? 0 : err;
}

/* The ring is published before the event is enabled, so the first signal finds its ring. */
int group_watch(struct ring *ring, const struct plan *plan, const struct perf_event_attr *attr,
		pid_t tid, int signal)
{
	struct perf_event_attr copy = *attr; /* the kernel may write its size */
	int fd = sys_perf_event_open(&copy, tid, -1, PERF_FLAG_FD_CLOEXEC);
	struct ring mapped;
	int err;

	if (fd < 0)
		return fd;
	err = plan->engine == SPOOL_ENGINE_SIGIO ? group_send_signal(fd, tid, signal) : 0;
	if (!err)
		err = ring_map(&mapped, fd, attr->exclude_kernel ? 1 : plan->ring_pages);
	if (!err) {
		ring_publish(ring, &mapped);
		err = sys_ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	}
	sys_close(fd);
	return err;
}

/* A group runs when its leader runs: members are never disabled by themselves. */
static int enable(int fd, const struct group_leader *leader)
{
	if (leader->refresh)
		return sys_ioctl(fd, PERF_EVENT_IOC_REFRESH, leader->refresh);
	return sys_ioctl(fd, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

int group_arm(struct group *group)
{
	unsigned leaders = 0;
	int err = 0;

	for (unsigned i = 0; i < group->descriptors; i++)
		if (!group->page[i] && !err)
			err = enable(group->fd[i], &group->leader[leaders++]);
	for (unsigned i = 0; i < group->leaders && !err; i++)
		if (group->leader[i].notifier)
			err = sys_ioctl(group->leader[i].notifier_fd, PERF_EVENT_IOC_ENABLE, 0);
	close_descriptors(group, true);
	return err;
}

bool group_pending(const struct group *group)
{
	for (unsigned i = 0; i < group->leaders; i++)
		if (ring_pending(&group->leader[i].ring))
			return true;
	return false;
}

/* A total only grows.  A record that came after the page was written may have a larger value. */
static void store_total(struct spool_total *total, const struct group_leader *leader, unsigned k,
			const struct counter_reading *reading)
{
	uint64_t value = reading->value + leader->before[k];

	if (value < atomic_load_explicit(&total->value, memory_order_relaxed))
		return;
	atomic_store_explicit(&total->value, value, memory_order_relaxed);
	atomic_store_explicit(&total->enabled_ns, reading->enabled_ns + leader->enabled_before_ns,
			      memory_order_relaxed);
	atomic_store_explicit(&total->running_ns, reading->running_ns + leader->running_before_ns,
			      memory_order_relaxed);
}

void group_store_totals(const struct group *group, const struct plan *plan,
			struct spool_total *totals)
{
	unsigned at = 0; /* index in the order of opening: leader, members, next leader */

	for (unsigned i = 0; i < group->leaders; i++) {
		const struct group_leader *leader = &group->leader[i];

		if (plan->pending[leader->counter[0]])
			continue; /* another thread may unmap it, and its counts mean nothing */
		for (unsigned k = 0; k < leader->count; k++, at++) {
			const struct perf_event_mmap_page *page =
				k ? group->page[at] : leader->ring.page;
			struct counter_reading reading;

			if (page && !counter_read(page, &reading))
				store_total(&totals[leader->counter[k]], leader, k, &reading);
		}
	}
}

void group_close(struct group *group)
{
	close_descriptors(group, false);
	for (unsigned i = 0; i < group->leaders; i++)
		ring_unmap(&group->leader[i].ring);
	ring_unmap(&group->loader);
	group->leaders = 0;
}

void group_forget(struct group *group)
{
	memset(group->page, 0, sizeof(group->page));
	for (unsigned i = 0; i < group->leaders; i++) {
		group->leader[i].ring.page = NULL;
		group->leader[i].notifier = NULL;
	}
	group->loader.page = NULL;
	group->leaders = 0;
	group->descriptors = 0;
}
