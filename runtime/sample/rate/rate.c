/*
 * A handler that takes longer than a quarter of a clock's period would leave the target no time in
 * the end.  Then only one stack in 1 << backoff is walked (governor_backoff()).  The other samples
 * record only the leaf, under [leaf only].
 */
#include "runtime/sample/rate/reopen.h"

#include <time.h>

#include "runtime/sample/account/account.h"
#include "runtime/sample/perf/governor.h"
#include "runtime/sample/rate/counters.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/poison.h"

#define OUTLIER	     4	    /* a walk counts as at most this many usual ones */
#define PREEMPTED_NS 100000 /* a turn this long, and 16 times the usual, was preempted */

static bool leaf_will_do(struct thread *thread)
{
	if (!thread->rate.backoff)
		return false;
	if (++thread->rate.skipped >> thread->rate.backoff) {
		thread->rate.skipped = 0;
		return false;
	}
	return true;
}

/* True if the period is near the cost of a sample: then each turn is timed by the thread's own CPU
 * clock. */
static bool is_fast(void)
{
	return session.plan.busy_period_ns && session.plan.busy_period_ns < GOVERNOR_FAST_NS;
}

/* True if a turn of this thread seems to take too long.  Then the next turn is timed by the
 * thread's own CPU clock, which costs a system call more.  By the wall clock, a handler that is
 * preempted looks like a slow one. */
static bool is_suspect(const struct thread *thread)
{
	return !thread->rate.usual_ns || is_fast() ||
	       (session.plan.busy_period_ns &&
		thread->rate.usual_ns > session.plan.busy_period_ns / 8 << thread->rate.backoff);
}

static uint64_t average(uint64_t before_ns, uint64_t now_ns)
{
	return before_ns - (before_ns >> 3) + (now_ns >> 3);
}

/* Adapts the backoff.  Only full walks timed by the CPU clock are judged.  A single walk counts at
 * most as a few usual ones: a page read from disk, or a host that takes the processor away (which
 * is CPU time to a guest), says nothing about the next walk, and would cause hundreds of leaf-only
 * samples. */
static void restrain(struct thread *thread, uint64_t spent_ns)
{
	uint64_t period_ns = session.plan.busy_period_ns;
	uint64_t most_ns = OUTLIER * thread->rate.cost_ns;
	unsigned backoff;

	thread->rate.cost_ns =
		average(thread->rate.cost_ns, most_ns && spent_ns > most_ns ? most_ns : spent_ns);
	if (!period_ns)
		return;
	backoff = governor_backoff(thread->rate.backoff, thread->rate.cost_ns, period_ns);
	if (backoff > thread->rate.backoff)
		thread_count(thread, SPOOL_COUNT_BACKOFFS, 1);
	thread->rate.backoff = backoff;
}

/* Returns the cost of a turn in ns, without the time that other threads ran in the middle of it. */
static uint64_t own_ns(struct thread *thread, uint64_t spent_ns, bool suspect)
{
	uint64_t usual_ns = thread->rate.usual_ns;

	if (!suspect && spent_ns > PREEMPTED_NS && spent_ns > 16 * usual_ns)
		spent_ns = usual_ns;
	thread->rate.usual_ns = usual_ns ? average(usual_ns, spent_ns) : spent_ns + 1;
	return spent_ns;
}

static void govern(struct thread *thread, const struct stack_taken *taken,
		   const struct rate_turn *turn, uint64_t end_ns, uint64_t own_ns)
{
	struct governor *governor = &thread->rate.governor;
	bool timed = turn->suspect;
	struct governor_turn judged = {
		.gap_ns = timed && governor->left_ns ? turn->start_ns - governor->left_ns
						     : UINT64_MAX,
		.own_ns = own_ns,
		.arrival_ns = governor->arrival_ns,
		.signals = 1 + governor->stale,
		.overflowed = governor->overflowed || group_pending(&thread->group),
	};
	bool slower = governor_turn(governor, &judged, session.plan.signal_ns,
				    session.plan.busy_period_ns);

	account_drain_all(thread, taken); /* our own time, and a ring may be replaced now */
	if (slower || reopen_is_due(thread, timed ? machine_time_now_ns() : end_ns)) {
		if (slower)
			reopen_slower(thread, machine_time_ns(turn->clock) - turn->start_ns);
		reopen_in_window(thread, machine_time_ns(turn->clock) - turn->start_ns);
	}
	governor->stale = 0;
	governor->left_ns = timed ? machine_time_ns(turn->clock) : 0;
}

void rate_enter(struct thread *thread, struct rate_turn *turn)
{
	turn->first = !thread->rate.usual_ns;
	turn->suspect = is_suspect(thread);
	turn->clock = turn->suspect ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
	turn->start_ns = machine_time_ns(turn->clock);
	thread->rate.governor.began_ns = turn->suspect ? machine_time_now_ns() : turn->start_ns;
}

void rate_enter_again(struct thread *thread, struct rate_turn *turn)
{
	thread_count(thread, SPOOL_COUNT_HANDLER_NS, machine_time_ns(turn->clock) - turn->start_ns);
	turn->start_ns = machine_time_ns(turn->clock);
}

void rate_begin(struct thread *thread, struct rate_turn *turn)
{
	thread->rate.governor.overflowed = false;
	thread->rate.governor.arrival_ns = 0;
	reopen_first_begin(thread);
	turn->leaf = leaf_will_do(thread);
}

void rate_leave(struct thread *thread, const struct rate_turn *turn,
		const struct stack_taken *taken)
{
	uint64_t end_ns, spent_ns;

	counters_adapt(thread, taken);
	end_ns = machine_time_ns(turn->clock);
	spent_ns = own_ns(thread, end_ns - turn->start_ns, turn->suspect);
	thread_count(thread, SPOOL_COUNT_HANDLER_NS, spent_ns);
	if (!turn->leaf && !turn->first && (turn->suspect || thread->rate.backoff))
		restrain(thread, spent_ns);
	govern(thread, taken, turn, end_ns, spent_ns);
}
