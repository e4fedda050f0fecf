/*
 * Order: all new events are opened before the old ones are unmapped, and enabled after that, so
 * that no time is sampled twice; but the successor of a first period runs at once, and the old
 * events' records from then on are passed over.  All of this is safe in a signal handler.
 */
#include "runtime/sample/rate/reopen.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <linux/perf_event.h>

#include "runtime/sample/account/account.h"
#include "runtime/sample/perf/clock.h"
#include "runtime/sample/perf/ring.h"
#include "runtime/sample/perf/first_period.h"
#include "runtime/sample/perf/governor.h"
#include "runtime/sample/perf/group.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/perf/switches.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/sys/poison.h"

#define PAGE_BYTES	  4096UL
#define FIRST_PERIOD_KEPT 4 /* overflows as many times too often may go on */

/* Returns the leader's first page.  Pages are stored in the order of opening: leader, members, next
 * leader. */
static void **pages_of(struct group *group, const struct group_leader *leader)
{
	unsigned at = 0;

	for (const struct group_leader *before = group->leader; before < leader; before++)
		at += before->count;
	return group->page + at;
}

static void close_old(struct group *group, struct group_leader *leader)
{
	void **pages = pages_of(group, leader);

	ring_unmap(&leader->ring);
	for (unsigned i = 1; i < leader->count; i++) {
		event_mapping_remove(pages[i], PAGE_BYTES);
		pages[i] = NULL;
	}
}

/* Starts a timer in place of the clock, as at the start of a thread whose counters the kernel
 * refuses; it first rings after first_ns.  Returns false if the leader is no clock, or there is no
 * timer for it. */
static bool start_timer(struct thread *thread, const struct group_leader *leader, uint64_t first_ns)
{
	if (!leader->clock || thread->tick_timer.id != CLOCK_NO_TIMER ||
	    clock_open(&thread->tick_timer.id, &thread->tick_timer.rings_ns, session.signal,
		       CLOCK_THREAD_CPUTIME_ID, first_ns, session.plan.timer_period_ns))
		return false;
	thread->tick_timer.counter = leader->counter[0];
	thread_count(thread, SPOOL_COUNT_DEGRADED, 1);
	return true;
}

static void do_without(struct thread *thread, const struct group_leader *leader, int err)
{
	uint32_t lost = 0;

	for (unsigned i = 0; i < leader->count; i++)
		lost |= 1u << leader->counter[i];
	if (start_timer(thread, leader, first_period_draw(session.plan.timer_period_ns, 1, 0)))
		lost &= ~(1u << leader->counter[0]);
	else
		thread_count(thread, SPOOL_COUNT_ATTACH_FAILED, 1);
	thread_lacks(thread, lost, err);
}

/* Notes how far the totals are ahead of the counts, once `last` is set. */
static void note_before(struct thread *thread, struct group_leader *leader)
{
	for (unsigned i = 0; i < leader->count; i++) {
		const struct spool_total *total = &thread->slot->total[leader->counter[i]];

		leader->before[i] = atomic_load_explicit(&total->value, memory_order_relaxed) -
				    leader->last.value[i];
		leader->enabled_before_ns =
			atomic_load_explicit(&total->enabled_ns, memory_order_relaxed);
		leader->running_before_ns =
			atomic_load_explicit(&total->running_ns, memory_order_relaxed);
	}
}

/* Puts the opened events in the place of the old ones, which are closed.  Their counts go on
 * `since` events after the last sample. */
static void put_in_place(struct thread *thread, struct group_leader *leader,
			 const struct group_anew *anew, uint64_t since)
{
	void **pages = pages_of(&thread->group, leader);

	leader->ring = anew->ring;
	for (unsigned i = 1; i < leader->count; i++)
		pages[i] = anew->page[i];
	memset(&leader->last, 0, sizeof(leader->last));
	leader->last.value[0] = -(leader->passed + since);
	leader->first = leader->passed = leader->ahead = leader->between = leader->until_ns = 0;
	leader->reopened = true;
	note_before(thread, leader);
}

static void enable(struct group_anew *anew)
{
	sys_ioctl(anew->fd[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
	anew->enabled_ns = machine_time_now_ns();
}

/* Runs the opened events.  A clock runs before its ring is mapped: that takes longer than all the
 * rest, far less than its period, and delays all samples that follow. */
static int run_mapped(struct group_anew *anew, bool clock)
{
	int err;

	if (clock)
		enable(anew);
	err = successor_map(anew);
	if (err)
		return err;
	if (!clock)
		enable(anew);
	successor_close_descriptors(anew);
	return 0;
}

/* Opens a leader again, with its members.  If the new events cannot be opened beside the old, the
 * old ones are closed first.  If the new ones still cannot be opened, the thread gets a timer, or
 * is no longer sampled, which is counted.  Returns 0 or -errno. */
static int open_leader(struct thread *thread, struct group_leader *leader, uint64_t period,
		       uint64_t since_ns)
{
	struct group_anew anew;
	int err = successor_open_mapped(&anew, leader, period);

	if (thread->prepared.leader == leader)
		successor_drop(thread);
	if (since_ns > machine_time_now_ns() - leader->record_ns)
		since_ns = machine_time_now_ns() - leader->record_ns;
	close_old(&thread->group, leader);
	if (err) /* the old events held descriptors or locked memory */
		err = successor_open_mapped(&anew, leader, period);
	if (err) {
		do_without(thread, leader, err);
		return err;
	}
	put_in_place(thread, leader, &anew, leader->clock ? since_ns : 0);
	enable(&anew);
	successor_close_descriptors(&anew);
	return 0;
}

/* True for a mapped ring that this thread alone handles: no other thread may take it away, it does
 * not stop itself, and no other event signals for it. */
static bool may_be_reopened(const struct group_leader *leader)
{
	return leader->ring.page && !leader->finding && !leader->refresh && !leader->notifier;
}

static uint64_t period_of(const struct group_leader *leader)
{
	unsigned counter = leader->counter[0];
	uint64_t raised = governor_raised(counter);

	return raised ? raised : governor_period(&session.plan.attr[counter]);
}

/* Returns the leader that most likely overflows again before the handler returns: the one with the
 * shortest period. */
static struct group_leader *too_fast(struct group *group)
{
	struct group_leader *found = NULL;

	for (unsigned i = 0; i < group->leaders; i++) {
		struct group_leader *leader = &group->leader[i];

		if (!may_be_reopened(leader) || !leader->of_time || leader->resting)
			continue;
		if (!found || period_of(leader) < period_of(found))
			found = leader;
	}
	return found;
}

void reopen_slower(struct thread *thread, uint64_t since_ns)
{
	struct group_leader *leader = too_fast(&thread->group);
	uint64_t period;

	if (!leader || period_of(leader) > INT64_MAX / 4)
		return;
	period = period_of(leader);
	if (leader->clock && period < GOVERNOR_CLOCK_NS)
		period = GOVERNOR_CLOCK_NS;
	period *= 2;
	if (open_leader(thread, leader, period, since_ns))
		return;
	thread_count(thread, SPOOL_COUNT_REOPENED, 1);
	log_mark(&thread->log, SPOOL_MARK_SLOWER, machine_time_now_ns(),
		 leader->counter[0] | period << 4);
	governor_raise(leader->counter[0], period);
	atomic_store_explicit(&session.spool.header->counter[leader->counter[0]].raised,
			      governor_raised(leader->counter[0]), memory_order_relaxed);
	if (leader->clock && session.plan.busy_period_ns < period)
		session.plan.busy_period_ns = period;
}

static uint64_t beat_ns_at(const struct thread *thread, uint64_t now_ns)
{
	const struct spool_header *header = session.spool.header;

	if (thread->tracer.is_there)
		return TRACER_BEAT_NS;
	if (session_is_wanted(now_ns))
		return 0;
	return governor_beat_ns(now_ns,
				atomic_load_explicit(&header->window_from_ns, memory_order_relaxed),
				session.plan.busy_period_ns);
}

uint64_t reopen_beat_ns(const struct thread *thread)
{
	return beat_ns_at(thread, machine_time_now_ns());
}

static bool is_due(const struct group_leader *leader, bool rest)
{
	return leader->resting != rest && may_be_reopened(leader) && leader->clock;
}

/* A counter that is opened while those of the thread stand still would run. */
static bool stands_still(const struct thread *thread)
{
	return thread->pause.depth || thread->pause.disabled == thread->tid;
}

bool reopen_is_due(const struct thread *thread, uint64_t now_ns)
{
	const struct group *group = &thread->group;
	bool rest = group->leaders && beat_ns_at(thread, now_ns);

	for (unsigned i = 0; i < group->leaders; i++)
		if (is_due(&group->leader[i], rest))
			return !stands_still(thread);
	return false;
}

void reopen_in_window(struct thread *thread, uint64_t since_ns)
{
	uint64_t beat_ns = reopen_beat_ns(thread);

	for (unsigned i = 0; i < thread->group.leaders; i++) {
		struct group_leader *leader = &thread->group.leader[i];
		uint64_t period = beat_ns ? beat_ns : governor_raised(leader->counter[0]);

		if (!is_due(leader, beat_ns != 0))
			continue;
		leader->resting = beat_ns != 0;
		open_leader(thread, leader, period, since_ns);
	}
}

/* Returns the leader to be replaced, with its first period over or not; or NULL.  A clock comes
 * before others, whose rings may hold records of another kind. */
static struct group_leader *with_first(struct group *group, bool over)
{
	struct group_leader *found = NULL;

	for (unsigned i = 0; i < group->leaders; i++) {
		struct group_leader *leader = &group->leader[i];

		if (!leader->between || leader->stays || !may_be_reopened(leader) ||
		    (over && !ring_pending(&leader->ring)))
			continue;
		if (leader->clock)
			return leader;
		if (!found)
			found = leader;
	}
	return found;
}

static bool is_itself(const struct thread *thread)
{
	return session_is_here() && thread->tid == sys_gettid();
}

void reopen_first_prepare(void)
{
	struct thread *thread = thread_self;
	struct group_leader *leader;
	uint64_t mask;

	if (!thread || !with_first(&thread->group, false) || !is_itself(thread))
		return;
	mask = sys_signals_block();
	leader = with_first(&thread->group, false); /* it may have been replaced meanwhile */
	if (leader && !stands_still(thread) && !reopen_beat_ns(thread))
		successor_prepare(thread, leader, governor_raised(leader->counter[0]));
	sys_signals_restore(mask);
}

void reopen_first_forget(void)
{
	struct thread *thread = thread_self;
	uint64_t mask;

	if (!thread || !thread->prepared.leader || !is_itself(thread))
		return;
	mask = sys_signals_block();
	successor_drop(thread);
	sys_signals_restore(mask);
}

static int run_successor(struct thread *thread, struct group_leader *leader)
{
	struct group_anew *anew = &thread->anew;
	int err;

	if (successor_run_prepared(thread, leader)) {
		leader->until_ns = anew->enabled_ns;
		return 0;
	}
	err = successor_open(anew, leader, governor_raised(leader->counter[0]));
	if (!err && !run_mapped(anew, leader->clock))
		leader->until_ns = anew->enabled_ns;
	return err;
}

/* True for a clock that would signal more than twice for each sample, where a timer takes as many
 * samples, without the kernel's frames.  Other counters have no substitute, nor have members. */
static bool stays_too_fast(const struct group_leader *leader)
{
	return leader->count == 1 && leader->first < leader->between / 2 &&
	       leader->between == session.plan.timer_period_ns;
}

void reopen_first_begin(struct thread *thread)
{
	struct group_anew *anew = &thread->anew;
	struct group_leader *leader = with_first(&thread->group, true);
	uint64_t began_ns;
	int err;

	anew->leader = NULL;
	anew->enabled_ns = 0;
	if (!leader || stands_still(thread) || reopen_beat_ns(thread))
		return;
	began_ns = machine_time_now_ns();
	err = run_successor(thread, leader);
	start_budget_spend(began_ns);
	/* The program has given up root: what it opened as root is worth more than what it may open
	 * now, and overflows that come too early are passed over, unless they cost too much. */
	leader->stays = err == -EACCES || err == -EPERM;
	anew->leader = leader->stays && !stays_too_fast(leader) ? NULL : leader;
}

void reopen_first_end(struct thread *thread)
{
	struct group_anew *anew = &thread->anew;
	struct group_leader *leader = anew->leader;
	uint64_t since, began_ns;

	if (!leader)
		return;
	anew->leader = NULL;
	if (anew->enabled_ns) {
		since = account_since(thread, leader, anew->enabled_ns);
		began_ns = machine_time_now_ns();
		close_old(&thread->group, leader);
		start_budget_spend(began_ns);
		put_in_place(thread, leader, anew, since);
	} else if (leader->stays) {
		if (start_timer(thread, leader, session.plan.timer_period_ns))
			ring_unmap(&leader->ring); /* this ends the event */
	} else if (leader->first < leader->between / FIRST_PERIOD_KEPT) {
		open_leader(thread, leader, governor_raised(leader->counter[0]), 0);
	}
}
