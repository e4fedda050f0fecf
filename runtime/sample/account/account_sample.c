/*
 * The weights of a sample.  The leader of the group gets one sample.  Every counter of the group
 * gets its count since the last record, scaled as if the counter had run all the time.
 */
#include "runtime/sample/account/account.h"

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "config/events/known.h"
#include "runtime/sample/session/pending_watch.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/objects/mapping_table.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/perf/switches.h"
#include "runtime/sample/sys/poison.h"

static uint64_t scaled_delta(const struct record_counts *now, const struct record_counts *last,
			     unsigned i)
{
	uint64_t delta = now->value[i] - last->value[i];
	uint64_t enabled = now->enabled_ns - last->enabled_ns;
	uint64_t running = now->running_ns - last->running_ns;

	if (running >= enabled || !running)
		return delta;
	return (uint64_t)((double)delta * (double)enabled / (double)running);
}

/* A clock counts the time that it runs.  Linux 6.18 adds parts of that time again each time it
 * throttles one: of 400 ms, 600 to 1,900 ms were counted. */
static void limit_clocks(const struct group_leader *leader, struct record_counts *counts)
{
	for (unsigned i = 0; i < counts->count && i < leader->count; i++) {
		const struct perf_event_attr *attr = &session.plan.attr[leader->counter[i]];

		if (attr->type == PERF_TYPE_SOFTWARE && counts->value[i] > counts->running_ns &&
		    known_is_clock(attr->type, attr->config))
			counts->value[i] = counts->running_ns;
	}
}

static const struct event *event_of(const struct group_leader *leader)
{
	return &session.plan.events.event[leader->counter[0]];
}

/* The counter of a pending watch starts at zero each time its library is loaded, and so does a
 * counter that is opened anew. */
static void add_totals(struct spool_total *total, const struct record_counts *counts,
		       const struct record_counts *last, unsigned i)
{
	spool_alloc_add(&total->value, counts->value[i] - last->value[i]);
	spool_alloc_add(&total->enabled_ns, counts->enabled_ns - last->enabled_ns);
	spool_alloc_add(&total->running_ns, counts->running_ns - last->running_ns);
	spool_alloc_add(&total->lost, counts->lost[i] - last->lost[i]);
}

static void store_totals(struct thread *thread, const struct group_leader *leader,
			 const struct record_counts *counts)
{
	for (unsigned i = 0; i < counts->count && i < leader->count; i++) {
		struct spool_total *total = &thread->slot->total[leader->counter[i]];

		if (i == 0 && leader->off_cpu)
			continue; /* counts switches; the total is time */
		if (leader->finding || leader->reopened) {
			add_totals(total, counts, &leader->last, i);
			continue;
		}
		atomic_store_explicit(&total->value, counts->value[i], memory_order_relaxed);
		atomic_store_explicit(&total->enabled_ns, counts->enabled_ns, memory_order_relaxed);
		atomic_store_explicit(&total->running_ns, counts->running_ns, memory_order_relaxed);
		atomic_store_explicit(&total->lost, counts->lost[i], memory_order_relaxed);
	}
}

/* Returns the part of `events` that lies in the window.  The first sample after a pause includes
 * the end of a heartbeat period. */
static uint64_t in_window(const struct group_leader *leader, uint64_t time_ns, uint64_t events)
{
	uint64_t open_ns = session_open_ns(time_ns);

	return leader->clock && events > open_ns ? open_ns : events;
}

/* Adds to the first sample what it stands for beyond its first period.  A member counts on its
 * leader's behalf, so it grows as the leader does. */
static uint64_t whole_period(const struct group_leader *leader, const struct record_counts *counts,
			     unsigned i, uint64_t events)
{
	uint64_t first = counts->value[0];

	if (!leader->ahead || !first)
		return events;
	if (!i)
		return events + leader->ahead;
	return (uint64_t)((double)events * (double)(first + leader->ahead) / (double)first);
}

/* Returns for how many threads a sample stands, which the thread's clock took while it was young
 * (start_budget.c); else 1. */
static uint32_t stands_for(const struct thread *thread, const struct group_leader *leader,
			   const struct record *record)
{
	unsigned counter = leader->counter[0];
	uint64_t cpu_ns =
		record->counts.value[0] - leader->last.value[0] +
		atomic_load_explicit(&thread->slot->total[counter].value, memory_order_relaxed);
	bool young = counter == switches_clock() && cpu_ns <= START_BUDGET_YOUNG_NS;

	return young ? thread->budget.stands_for : 1;
}

/* Node 0: no stack receives the counts, because sampling is paused or the spool is full. */
static void weigh_all(struct thread *thread, uint32_t node, bool paused,
		      struct group_leader *leader, const struct record *record)
{
	const struct record_counts *counts = &record->counts;
	uint32_t threads = stands_for(thread, leader, record);

	for (unsigned i = 0; i < counts->count && i < leader->count; i++) {
		bool weighed_later = i == 0 && leader->off_cpu;
		uint64_t delta = weighed_later ? 0 : scaled_delta(counts, &leader->last, i);
		uint64_t events = weighed_later ? 0 : whole_period(leader, counts, i, delta);
		struct spool_total *total = &thread->slot->total[leader->counter[i]];
		uint64_t wanted = i || paused ? events : in_window(leader, record->time_ns, events);

		if (node)
			account_weigh(thread, &(struct log_sample){ .time_ns = record->time_ns,
								    .samples = i ? 0 : threads,
								    .events = wanted * threads,
								    .node = node,
								    .counter = leader->counter[i],
								    .member = i != 0 });
		else
			spool_alloc_add(paused ? &total->paused : &total->dropped, wanted);
		spool_alloc_add(&total->paused, events - wanted);
	}
}

static void count_sample(struct thread *thread, const struct stack_taken *taken, uint64_t samples,
			 bool overflowed, uint32_t node)
{
	thread_count(thread, SPOOL_COUNT_SAMPLES, samples);
	thread_count(thread, taken->end, samples);
	if (taken->guessed)
		thread_count(thread, SPOOL_COUNT_GUESSED, samples);
	if (overflowed && node)
		thread_count(thread, SPOOL_COUNT_OVERFLOW_NODES, samples);
	if (!node)
		thread_count(thread, SPOOL_COUNT_LOST_FULL, samples);
	if (labels_are_lacking(&thread->labels))
		thread_count(thread, SPOOL_COUNT_LABELS_FULL, samples);
}

/* Returns a frame that describes the accessed data, placed below the function; 0: none.  For
 * watchpoints it is the address, because only few addresses are watched.  For page faults it is the
 * kind of memory.  For precise memory events it is where the access was served, which has few
 * values. */
static uint64_t datum_of(const struct thread *thread, const struct group_leader *leader,
			 const struct record *record)
{
	const struct event *event = event_of(leader);
	uint64_t source = record->data_source & SPOOL_PC_MEMORY_BITS;

	if (event->type == PERF_TYPE_BREAKPOINT && !(event->bp_type & HW_BREAKPOINT_X) &&
	    record->address && record->address < SPOOL_PC_DATA)
		return SPOOL_PC_DATA | record->address;
	if (mapping_table_suits(event))
		return mapping_table_frame(&thread->stack.range, record->address);
	if (event->precise && source & ~(uint64_t)PERF_MEM_OP_NA)
		return SPOOL_PC_MEMORY | source;
	return 0;
}

/* True if a counter that stops itself has already taken all its samples.
 * prctl(PR_TASK_PERF_EVENTS_ENABLE), ours after a failed exec or the target's, starts such a
 * counter again, and it would not stop a second time. */
static bool is_spent(struct group_leader *leader)
{
	if (!leader->refresh || leader->taken == leader->refresh)
		return leader->refresh;
	leader->taken++;
	return false;
}

/* False for an access to other memory where a watched library was loaded before, and for a page
 * fault of the profiler itself. */
static bool is_the_targets(const struct thread *thread, const struct group_leader *leader,
			   const struct record *record)
{
	if (leader->finding && !pending_watch_is_there(leader->counter[0], record->address))
		return false;
	return !mapping_table_suits(event_of(leader)) ||
	       !thread_is_own_fault(thread, record->address, record->time_ns);
}

/* Only overflows in user code are timed: one in the kernel may have waited for the end of a system
 * call. */
static void time_overflow(struct governor *governor, const struct group_leader *leader,
			  const struct record *record)
{
	if (record->time_ns > governor->began_ns)
		governor->overflowed = true;
	else if (!record->in_kernel && leader->of_time)
		governor->arrival_ns = governor->began_ns - record->time_ns;
}

/* True if the stack belongs to this record.  When samples share a signal (wakeup_events), the stack
 * belongs to the last of them, provided the signal came for that overflow.  That is certain if
 * every occurrence is sampled, or if both have the same instruction address. */
static bool is_of_signal(const struct group_leader *leader, const struct record *record,
			 const struct stack_taken *taken)
{
	const struct perf_event_attr *attr = &session.plan.attr[leader->counter[0]];

	if (leader->ring.tail != leader->ring.head || !taken->pc)
		return false;
	return record->in_kernel ? !attr->freq && attr->sample_period == 1
				 : record->ip == taken->pc;
}

static void take_own(struct thread *thread, const struct record *record, struct stack_taken *own)
{
	*own = (struct stack_taken){ .end = SPOOL_COUNT_LEAF_ONLY };
	own->node = tree_path(&thread->tree, SPOOL_PC_LEAF_ONLY, &record->ip, !record->in_kernel,
			      &own->overflowed);
}

/* True for a clock's overflow in a turn of our handler: it is our time, and no sample is due.  The
 * next one has its events, as it has those of each turn.  This happens where a turn takes longer
 * than a period, as the first of a process may.  A counter of instructions or cycles is exact, and
 * may have a period shorter than any turn. */
static bool is_our_time(const struct thread *thread, const struct group_leader *leader,
			const struct record *record)
{
	return record->time_ns > thread->rate.governor.began_ns && leader->clock;
}

static void pass_over(struct group_leader *leader, const struct record *record)
{
	leader->passed = record->counts.value[0] - leader->last.value[0];
	leader->record_ns = record->time_ns;
}

/* True for an overflow that a counter with its first period has too early, or beside its successor:
 * first_period.h. */
static bool is_passed_over(struct group_leader *leader, const struct record *record)
{
	uint64_t since = record->counts.value[0] - leader->last.value[0];

	if (leader->until_ns && record->time_ns > leader->until_ns)
		return true;
	leader->passed = 0;
	if (!leader->between || leader->ahead || since >= leader->between)
		return false;
	pass_over(leader, record);
	return true;
}

void account_sample(struct thread *thread, struct group_leader *leader, struct record *record,
		    const struct stack_taken *taken)
{
	uint64_t datum = datum_of(thread, leader, record);
	bool paused = !session_is_wanted(record->time_ns);
	bool wanted = !paused && !is_spent(leader) && is_the_targets(thread, leader, record);
	struct stack_taken own;
	uint32_t node, threads;
	bool overflowed;

	log_window(&thread->log, record->time_ns, paused);
	limit_clocks(leader, &record->counts);
	time_overflow(&thread->rate.governor, leader, record);
	if (is_passed_over(leader, record))
		return;
	if (is_our_time(thread, leader, record)) {
		pass_over(leader, record);
		return;
	}
	if (leader->notifier && !is_of_signal(leader, record, taken)) {
		take_own(thread, record, &own);
		taken = &own;
	}
	overflowed = taken->overflowed;
	node = taken->node;
	if (wanted && node && record->chain_depth && !overflowed)
		node = tree_extend(&thread->tree, node, record->chain, record->chain_depth,
				   &overflowed);
	if (wanted && node && datum && !overflowed)
		node = tree_extend(&thread->tree, node, &datum, 1, &overflowed);
	threads = stands_for(thread, leader, record);
	if (wanted)
		count_sample(thread, taken, threads, overflowed, node);
	if (wanted && record->in_kernel && !session.plan.attr[leader->counter[0]].exclude_kernel)
		thread_count(thread, SPOOL_COUNT_KERNEL_SAMPLES, threads);
	weigh_all(thread, wanted ? node : 0, paused, leader, record);
	leader->away = (struct group_away){
		.node = wanted ? node : 0,
		.paused = paused,
		.since_ns = record->time_ns,
	};
	store_totals(thread, leader, &record->counts);
	leader->last = record->counts;
	leader->record_ns = record->time_ns;
	leader->ahead = 0;
}

/* Returns what a clock counted since its last record: at most a first period, unless a system call
 * in the kernel, where no handler runs, has filled the ring.  The thread's CPU time says how long
 * that went on. */
static uint64_t since_record(const struct thread *thread, const struct group_leader *leader,
			     uint64_t until_ns)
{
	uint64_t since_ns = until_ns - leader->record_ns, most_ns = leader->first, used_ns;
	uint64_t counted_ns = leader->last.value[0] + leader->passed, turn_ns;

	if (since_ns > most_ns && !session.plan.attr[leader->counter[0]].exclude_kernel) {
		used_ns = machine_time_ns(CLOCK_THREAD_CPUTIME_ID) - thread->group.armed_cpu_ns;
		turn_ns = machine_time_now_ns() - until_ns; /* of which some may be no CPU time */
		if (used_ns > turn_ns + counted_ns + most_ns)
			most_ns = used_ns - turn_ns - counted_ns;
	}
	return since_ns < most_ns ? since_ns : most_ns;
}

uint64_t account_since(struct thread *thread, struct group_leader *leader, uint64_t until_ns)
{
	unsigned counter = leader->counter[0];
	uint64_t since_ns, joins_ns;

	if (!leader->clock)
		return 0;
	since_ns = since_record(thread, leader, until_ns);
	if (since_ns < leader->between)
		return since_ns;
	thread_count(thread, SPOOL_COUNT_LOST_RING, since_ns / leader->between);
	if (!leader->away.node || !session_is_wanted(until_ns))
		return since_ns;
	joins_ns = in_window(leader, until_ns, since_ns + leader->passed);
	account_weigh(thread, &(struct log_sample){ .time_ns = until_ns,
						    .events = joins_ns,
						    .node = leader->away.node,
						    .counter = counter });
	spool_alloc_add(&thread->slot->total[counter].value, joins_ns);
	leader->passed = 0;
	return 0;
}

bool account_timed(struct thread *thread, unsigned counter, uint64_t periods, uint64_t weight_ns,
		   const struct stack_taken *taken)
{
	uint64_t now_ns = machine_time_now_ns();
	struct spool_total *total = &thread->slot->total[counter];
	bool paused = !session_is_wanted(now_ns);

	spool_alloc_add(&total->value, weight_ns);
	log_window(&thread->log, now_ns, paused);
	if (paused) {
		spool_alloc_add(&total->paused, weight_ns);
		return false;
	}
	count_sample(thread, taken, periods, taken->overflowed, taken->node);
	if (taken->node)
		account_weigh(thread, &(struct log_sample){ .time_ns = now_ns,
							    .samples = periods,
							    .events = weight_ns,
							    .node = taken->node,
							    .counter = counter });
	return true;
}
