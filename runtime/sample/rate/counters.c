/*
 * A clock's event is a timer of the kernel.  It is cancelled and restarted at each context switch
 * of the thread (perf_swevent_start_hrtimer in kernel/events/core.c); in a virtual machine each
 * restart leaves the guest.  A timer on the thread's CPU time adds nothing to a switch, because the
 * tick checks it.
 *
 * The timer matches the clock that it replaces.  User-side clocks sample in user code, and so does
 * a timer on the user time of a thread.  In both cases a sample weighs the CPU time since the
 * previous one, as the clock counts it.
 */
#include "runtime/sample/rate/counters.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "runtime/sample/account/account.h"
#include "runtime/sample/perf/clock.h"
#include "runtime/sample/perf/first_period.h"
#include "runtime/sample/perf/governor.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/rate/reopen.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/perf/switches.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/tree/tree.h"
#include "runtime/sample/session/thread.h"

/* The last stack stands for at most this much CPU time after it, in ns: several ticks.  Where two
 * threads take turns at a processor in step with the tick, it may always find the other one. */
#define TAIL_MOST_NS 20000000

/* The clock of a thread's user time, numbered as COUNTERS_CLOCK_OF. */
#define USER_CLOCK_OF(tid) ((clockid_t)((~(unsigned)(tid) << 3) | 4 | 1))

static const struct perf_event_attr *clock_attr(const struct thread *thread)
{
	return &session.plan.attr[thread->tick_timer.counter];
}

static uint64_t timer_period_ns(const struct thread *thread)
{
	return thread->tick_timer.replaces_clock ? governor_period(clock_attr(thread))
						 : session.plan.timer_period_ns;
}

static clockid_t timer_clock(const struct thread *thread)
{
	bool user_only = thread->tick_timer.replaces_clock && clock_attr(thread)->exclude_kernel;

	return user_only ? USER_CLOCK_OF(thread->tid) : CLOCK_THREAD_CPUTIME_ID;
}

/* A thread that begins with our signal blocked is paused at once.  It has no timer before, whose
 * signal would have to be looked for among the target's. */
static int start_timer(struct thread *thread)
{
	uint64_t period_ns = timer_period_ns(thread);

	thread->tick_timer.paused = thread->tick_timer.held;
	if (thread->tick_timer.held)
		return 0;
	return clock_open(&thread->tick_timer.id, &thread->tick_timer.rings_ns, session.signal,
			  timer_clock(thread),
			  thread->tick_timer.young ? START_BUDGET_YOUNG_NS
						   : first_period_draw(period_ns, 1, 0),
			  period_ns);
}

/* Returns the CPU time in ns since the last call, or since the clock was given up. */
static uint64_t ticked_ns(struct thread *thread)
{
	uint64_t now_ns = machine_time_ns(COUNTERS_CLOCK_OF(thread->tid));
	uint64_t before_ns = thread->tick_timer.cpu_ns;

	if (now_ns < before_ns) /* the thread has ended */
		return 0;
	thread->tick_timer.cpu_ns = now_ns;
	return now_ns - before_ns;
}

/* While a timer replaces a clock, a sample weighs the CPU time that the thread's clock shows. */
void counters_periods(struct thread *thread, uint64_t periods, const struct stack_taken *taken)
{
	uint64_t weight_ns = thread->tick_timer.replaces_clock
				     ? ticked_ns(thread)
				     : periods * session.plan.timer_period_ns;
	bool wanted = account_timed(thread, thread->tick_timer.counter, periods, weight_ns, taken);

	thread->tick_timer.young = false;
	if (!wanted)
		thread->tick_timer.last.node = 0;
	else if (thread->tick_timer.replaces_clock)
		thread->tick_timer.last = *taken;
}

void counters_drain_timer(struct thread *thread)
{
	struct stack_taken last = thread->tick_timer.last;
	uint64_t now_ns, tail_ns;

	if (!thread->tick_timer.replaces_clock || thread->tick_timer.young)
		return;
	now_ns = machine_time_ns(COUNTERS_CLOCK_OF(thread->tid));
	tail_ns = now_ns > thread->tick_timer.cpu_ns ? now_ns - thread->tick_timer.cpu_ns : 0;
	if (tail_ns > TAIL_MOST_NS)
		last.node = tree_path(&thread->tree, SPOOL_PC_NO_TICK, NULL, 0, &last.overflowed);
	counters_periods(thread, last.node ? tail_ns / governor_period(clock_attr(thread)) : 0,
			 &last);
}

static void count_more(struct spool_total *total, uint64_t more_ns)
{
	uint64_t value = atomic_load_explicit(&total->value, memory_order_relaxed);
	uint64_t paused = atomic_load_explicit(&total->paused, memory_order_relaxed);
	double share =
		value ? (double)paused / (double)value : !session_is_wanted(machine_time_now_ns());

	spool_alloc_add(&total->paused, (uint64_t)((double)more_ns * (share < 1 ? share : 1)));
	spool_alloc_add(&total->value, more_ns);
}

void counters_count_rest(struct thread *thread, uint64_t cpu_ns)
{
	uint64_t before_ns = thread->is_main ? session.start_thread_ns : 0;

	for (unsigned i = 0; i < session.plan.events.count && cpu_ns > before_ns; i++) {
		struct spool_total *total = &thread->slot->total[i];
		uint64_t value = atomic_load_explicit(&total->value, memory_order_relaxed);

		if (plan_period_is_clock(&session.plan, i) && value < cpu_ns - before_ns)
			count_more(total, cpu_ns - before_ns - value);
	}
}

void counters_count_process(uint64_t cpu_ns)
{
	for (unsigned i = 0; i < session.plan.events.count; i++) {
		uint64_t counted = thread_slot_counted(i);

		if (thread_self && plan_period_is_clock(&session.plan, i) && counted < cpu_ns)
			count_more(&thread_self->slot->total[i], cpu_ns - counted);
	}
}

void counters_count_other(struct thread *thread)
{
	counters_count_rest(thread, machine_time_ns(COUNTERS_CLOCK_OF(thread->tid)));
}

/* `young`: other threads stand for this one at first. */
static int begin_tick_timer(struct thread *thread, unsigned counter, bool young,
			    const struct stack_taken *taken)
{
	int err;

	thread->tick_timer.replaces_clock = true;
	thread->tick_timer.young = young;
	thread->tick_timer.last = *taken;
	thread->tick_timer.counter = counter;
	err = start_timer(thread);
	if (err) {
		thread->tick_timer.replaces_clock = thread->tick_timer.young = false;
		thread->tick_timer.counter = 0;
		return err;
	}
	thread->tick_timer.cpu_ns = young ? START_BUDGET_YOUNG_NS : 0;
	if (!young)
		ticked_ns(thread);
	if (!thread->tick_timer.counted)
		thread_count(thread, SPOOL_COUNT_COARSE, 1);
	thread->tick_timer.counted = true;
	return 0;
}

static int open_events(struct thread *thread, unsigned without)
{
	uint64_t began_ns = machine_time_now_ns();
	int err = group_open(&thread->group, &session.plan, session.signal, reopen_beat_ns(thread),
			     without);

	if (!err)
		err = group_arm(&thread->group);
	if (session.plan.kernel && without == GROUP_NONE)
		thread->group.armed_cpu_ns = machine_time_ns(CLOCK_THREAD_CPUTIME_ID);
	if (err)
		group_close(&thread->group);
	if (without == GROUP_NONE)
		start_budget_spend(began_ns);
	return err;
}

static bool does_without(struct thread *thread)
{
	if (!thread->is_main)
		thread->budget.stands_for = start_budget_draw();
	if (thread->budget.stands_for)
		return false;
	thread->budget.stands_for = 1;
	return true;
}

/* If most earlier threads ended with a timer, or clocks cost too much, a new thread starts with
 * one. */
static int open_tick_timer(struct thread *thread)
{
	const struct stack_taken none = { 0 };
	unsigned clock = switches_clock();
	bool usual = switches_are_usual();
	int err;

	if (clock == GROUP_NONE || reopen_beat_ns(thread) || (!usual && !does_without(thread)))
		return -ENOENT;
	err = open_events(thread, clock);
	if (err)
		return err;
	err = begin_tick_timer(thread, clock, !usual, &none);
	if (err)
		group_close(&thread->group);
	else if (!usual)
		switches_hurry(&thread->rate.switches, START_BUDGET_YOUNG_NS);
	return err;
}

/* Sets *refused to the -errno of counters that a timer replaces. */
static int open_any(struct thread *thread, int *refused)
{
	int err = -ENOENT;

	thread->tick_timer =
		(struct tick_timer){ .id = CLOCK_NO_TIMER, .held = thread->tick_timer.held };
	thread->budget.stands_for = 1;
	thread->group.leaders = 0;
	thread->group.refused = 0;
	if (session.plan.engine != SPOOL_ENGINE_TIMER) {
		switches_start(&thread->rate.switches, thread->is_main);
		tracer_start(thread);
		err = open_tick_timer(thread);
		if (err)
			err = open_events(thread, GROUP_NONE);
		if (!err) {
			account_attached(thread);
			return 0;
		}
		*refused = err;
		if (!events_time_will_do(&session.plan.events.event[0]))
			return err;
		spool_alloc_add_count(&session.spool, SPOOL_COUNT_DEGRADED, 1);
	}
	return start_timer(thread);
}

static uint32_t counted(const struct thread *thread)
{
	uint32_t counters = 0;

	for (unsigned i = 0; i < thread->group.leaders; i++)
		for (unsigned k = 0; k < thread->group.leader[i].count; k++)
			counters |= 1u << thread->group.leader[i].counter[k];
	if (thread->tick_timer.id != CLOCK_NO_TIMER || thread->tick_timer.paused)
		counters |= 1u << thread->tick_timer.counter;
	return counters;
}

int counters_open(struct thread *thread)
{
	int refused = 0, err = open_any(thread, &refused);

	if (!refused)
		refused = thread->group.refused ? thread->group.refused : session.plan.refused;
	thread_lacks(thread, ~counted(thread) & ((1u << session.plan.events.count) - 1), refused);
	return err;
}

void counters_close(struct thread *thread)
{
	uint64_t began_ns = machine_time_now_ns();

	group_close(&thread->group);
	if (!thread->tick_timer.replaces_clock)
		start_budget_spend(began_ns);
	clock_close(&thread->tick_timer.id);
}

void counters_pause_timer(struct thread *thread)
{
	bool runs = thread->tick_timer.id != CLOCK_NO_TIMER;

	thread->tick_timer.paused |= runs;
	thread->tick_timer.held = false;
	clock_close(&thread->tick_timer.id);
	thread->tick_timer.rang |=
		runs && machine_time_ns(timer_clock(thread)) >= thread->tick_timer.rings_ns;
}

/* A handler that pauses the thread meanwhile finds either the timer or that it is to be started. */
void counters_resume_timer(struct thread *thread)
{
	bool paused = thread->tick_timer.paused;

	thread->tick_timer.paused = false;
	if (paused)
		start_timer(thread);
}

static struct group_leader *clock_leader(struct thread *thread, unsigned counter)
{
	for (unsigned i = 0; i < thread->group.leaders; i++)
		if (thread->group.leader[i].counter[0] == counter)
			return &thread->group.leader[i];
	return NULL;
}

/* Exchanges the clock for a timer.  Counts continue.  Returns 0; or -errno with nothing changed. */
static int clock_to_timer(struct thread *thread, const struct stack_taken *taken)
{
	unsigned counter = switches_clock();
	struct group_leader *leader = clock_leader(thread, counter);
	int err;

	if (!leader || !leader->ring.page)
		return -ENOENT;
	if (leader->resting)
		return -EBUSY;
	tracer_suspect(thread);
	err = begin_tick_timer(thread, counter, false, taken);
	if (!err)
		ring_unmap(&leader->ring); /* this ends the event */
	return err;
}

static int timer_to_clock(struct thread *thread)
{
	unsigned counter = thread->tick_timer.counter;
	struct group_leader *leader = clock_leader(thread, counter);
	struct perf_event_attr attr = *clock_attr(thread);
	int err;

	if (!leader)
		return -ENOENT;
	governor_slow(&attr, governor_raised(counter));
	memset(&leader->last, 0, sizeof(leader->last));
	leader->reopened = true;
	leader->resting = false;
	err = group_watch(&leader->ring, &session.plan, &attr, thread->tid, session.signal);
	if (err) {
		ring_unmap(&leader->ring);
		return err;
	}
	clock_close(&thread->tick_timer.id);
	thread->tick_timer.replaces_clock = false;
	thread->tick_timer.counter = 0;
	return 0;
}

static __attribute__((noinline)) void adapt(struct thread *thread, const struct stack_taken *taken)
{
	struct switches *watch = &thread->rate.switches;
	bool wanted;
	int err;

	wanted = !thread->tick_timer.replaces_clock || !reopen_beat_ns(thread);
	switch (switches_look(watch, thread->tick_timer.replaces_clock, wanted)) {
	case SWITCHES_TO_TIMER:
		err = clock_to_timer(thread, taken);
		watch->refused = err && err != -EBUSY; /* it rests: try later */
		break;
	case SWITCHES_TO_CLOCK:
		if (!timer_to_clock(thread) && wanted)
			switches_calmed(watch);
		break;
	case SWITCHES_STAY:
		break;
	}
}

/* This runs at the end of each sample, so most turns only increment a counter. */
void counters_adapt(struct thread *thread, const struct stack_taken *taken)
{
	if (thread->pause.disabled != thread->tid && switches_are_due(&thread->rate.switches))
		adapt(thread, taken);
}
