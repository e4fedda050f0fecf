/*
 * Off-CPU time (event off-cpu): a sample is taken when the thread is switched out.  Its weight is
 * not known then.  The record of the switch back in gives the weight.  It is read from the same
 * ring before the thread runs any user code.
 */
#include "runtime/sample/account/account.h"

#include <stddef.h>
#include <time.h>

#include "runtime/sample/perf/plan.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/objects/module.h"
#include "runtime/sample/objects/mapping_table.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/poison.h"

#define CLOCK_TRIES   8
#define CLOCK_NEAR_NS 250

/* Time in which the thread was runnable gets a frame of its own: [preempted]. */
void account_back(struct thread *thread, struct group_leader *leader, uint64_t time_ns)
{
	static const uint64_t preempted = SPOOL_PC_PREEMPTED;
	unsigned counter = leader->counter[0];
	uint64_t period = session.plan.attr[counter].sample_period;
	struct group_away away = leader->away;
	bool overflowed = false;
	uint64_t away_ns;

	leader->away = (struct group_away){ 0 };
	if (!leader->off_cpu || (!away.node && !away.paused) || time_ns < away.since_ns)
		return;
	away_ns = (time_ns - away.since_ns) * (period ? period : 1);
	if (away.paused)
		spool_alloc_add(&thread->slot->total[counter].paused, away_ns);
	else if (away.preempted)
		away.node = tree_extend(&thread->tree, away.node, &preempted, 1, &overflowed);
	if (away.node)
		account_weigh(thread, &(struct log_sample){ .time_ns = time_ns,
							    .events = away_ns,
							    .node = away.node,
							    .counter = counter });
	spool_alloc_add(&thread->slot->total[counter].value, away_ns);
}

/* With a rate, some switches have no record: the thread may have left and returned since. */
static bool sees_all_switches(const struct group_leader *leader)
{
	return leader->off_cpu && session.plan.attr[leader->counter[0]].sample_period == 1;
}

static void note_seen(struct spool_thread *slot)
{
	uint64_t cpu_ns = machine_time_ns(CLOCK_THREAD_CPUTIME_ID);

	atomic_store_explicit(&slot->seen_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&slot->seen_cpu_ns, cpu_ns, memory_order_release);
	atomic_store_explicit(&slot->seen_ns, machine_time_now_ns(), memory_order_release);
}

void account_attached(struct thread *thread)
{
	for (unsigned i = 0; i < thread->group.leaders; i++)
		if (sees_all_switches(&thread->group.leader[i]))
			note_seen(thread->slot);
}

/* Returns how far the clock of the records is ahead of CLOCK_MONOTONIC, which all other times use.
 * If the thread loses the processor between two readings, it reads again. */
static uint64_t clock_ahead_ns(const struct group_leader *leader)
{
	clockid_t clock = session.plan.attr[leader->counter[0]].clockid;
	uint64_t ahead_ns = 0, least_ns = UINT64_MAX;

	for (unsigned i = 0; clock != CLOCK_MONOTONIC && i < CLOCK_TRIES; i++) {
		uint64_t before_ns = machine_time_now_ns(), there_ns = machine_time_ns(clock);
		uint64_t apart_ns = machine_time_now_ns() - before_ns;

		if (apart_ns < least_ns)
			ahead_ns = there_ns - before_ns - apart_ns / 2;
		if (apart_ns < least_ns)
			least_ns = apart_ns;
		if (least_ns < CLOCK_NEAR_NS)
			break;
	}
	return ahead_ns;
}

/* True for a clock that is being replaced: its records beyond a full ring came more often than
 * samples, and reopen_first_end() counts the samples that they would have been. */
static bool counts_lost(const struct thread *thread, const struct group_leader *leader)
{
	return thread->anew.leader == leader && thread->anew.enabled_ns && leader->clock;
}

bool account_drain(struct thread *thread, struct group_leader *leader,
		   const struct stack_taken *taken)
{
	uint64_t ahead_ns = clock_ahead_ns(leader);
	bool in_kernel = false;
	struct record record;

	ring_begin(&leader->ring);
	while (ring_next(&leader->ring, &session.plan.format, thread->scratch, &record)) {
		record.time_ns -= ahead_ns; /* which may wrap: back to CLOCK_MONOTONIC */
		switch (record.kind) {
		case RECORD_SAMPLE:
			in_kernel |= record.in_kernel;
			account_sample(thread, leader, &record, taken);
			break;
		case RECORD_LOST:
			if (!counts_lost(thread, leader))
				thread_count(thread, SPOOL_COUNT_LOST_RING, record.lost);
			break;
		case RECORD_THROTTLED:
			thread_count(thread, SPOOL_COUNT_THROTTLED, 1);
			log_mark(&thread->log, SPOOL_MARK_THROTTLED, machine_time_now_ns(),
				 leader->counter[0]);
			break;
		case RECORD_MALFORMED:
			thread_count(thread, SPOOL_COUNT_MALFORMED, 1);
			break;
		case RECORD_KERNEL_SYMBOL:
			module_note_named(session.modules, record.start,
					  record.start + record.bytes, record.text, record.removed);
			break;
		case RECORD_MAPPED:
			mapping_table_note(record.start, record.bytes, record.text);
			break;
		case RECORD_SWITCHED_OUT:
			leader->away.preempted = record.preempted;
			break;
		case RECORD_SWITCHED_IN:
			account_back(thread, leader, record.time_ns);
			break;
		default:
			break;
		}
	}
	ring_end(&leader->ring);
	/* no switch-in records: the thread drains its own ring, so it is back, or drain_blocked()
	 * counts it as back */
	if (leader->away.node && leader->off_cpu &&
	    !session.plan.attr[leader->counter[0]].context_switch)
		account_back(thread, leader, machine_time_now_ns());
	if (thread == thread_self && sees_all_switches(leader))
		note_seen(thread->slot);
	return in_kernel;
}

bool account_drain_all(struct thread *thread, const struct stack_taken *taken)
{
	bool in_kernel = false;

	for (unsigned i = 0; i < thread->group.leaders; i++)
		if (ring_pending(&thread->group.leader[i].ring))
			in_kernel |= account_drain(thread, &thread->group.leader[i], taken);
	return in_kernel;
}

void account_drain_rest(struct thread *thread)
{
	struct stack_taken taken = { .end = SPOOL_COUNT_LEAF_ONLY };

	if (!group_pending(&thread->group))
		return;
	taken.node = tree_path(&thread->tree, SPOOL_PC_NO_USER, NULL, 0, &taken.overflowed);
	account_drain_all(thread, &taken);
}
