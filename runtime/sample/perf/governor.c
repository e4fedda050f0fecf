/*
 * The governor learns the cost of a signal from the delays of overflows and takes the shortest:
 * other load on the machine can only lengthen a delay.  A judgement covers many turns, never only
 * one.
 */
#include "runtime/sample/perf/governor.h"

#include <stdatomic.h>
#include <linux/perf_event.h>

#include "config/events/events.h"
#include "runtime/sample/sys/proc.h"

#define ARRIVALS_PER_SIGNAL 2 /* with the interrupt and the return; measured: 2.1 to 2.3 */
#define NS_PER_S	    1000000000ULL
#define BACKOFF_MAX	    10
#define LIMIT_HZ	    100000 /* the kernel's default */
#define LONG_PERIODS	    16	   /* a turn that takes as long counts as one more */
#define LONG_MAX	    16	   /* turns that one counts as, at most: a quarter of a judgement */

/* W: any handler, by compare-and-swap.  R: the thread that opens a counter. */
static _Atomic uint64_t raised[EVENTS_MAX];

/* From the end of one turn to the beginning of the next, all time belongs to the program, except
 * the cost of the signal itself.  The program must have at least a quarter of the whole. */
static bool is_starved(const struct governor_turn *turn, uint64_t signal_ns, uint64_t period_ns)
{
	uint64_t left_ns;

	if (turn->overflowed)
		return true;
	if (turn->gap_ns == UINT64_MAX)
		return false;
	if (!signal_ns)
		return period_ns < GOVERNOR_FAST_NS &&
		       turn->gap_ns + turn->own_ns > period_ns + period_ns / 2;
	signal_ns *= turn->signals;
	left_ns = turn->gap_ns > signal_ns ? turn->gap_ns - signal_ns : 0;
	return left_ns < (turn->gap_ns + turn->own_ns) / 4;
}

/* Other load can only lengthen a delay, so the shortest is the nearest to the truth. */
static uint64_t learn(struct governor *governor, uint64_t arrival_ns)
{
	if (arrival_ns && (!governor->least_ns || arrival_ns < governor->least_ns))
		governor->least_ns = arrival_ns;
	return ARRIVALS_PER_SIGNAL *
	       (governor->least_ns ? governor->least_ns : governor->learnt_ns);
}

/* Returns as how many turns one counts.  Where interrupts take nearly all time, a turn lasts for
 * thousands of periods: 64 of them were seconds (measured: 30 to 100 ms each, at 10 us). */
static unsigned turns_of(const struct governor_turn *turn, uint64_t period_ns)
{
	uint64_t least_ns = period_ns < GOVERNOR_CLOCK_NS ? GOVERNOR_CLOCK_NS : period_ns;
	bool fast = period_ns && period_ns < GOVERNOR_FAST_NS;
	uint64_t turns = turn->overflowed && fast ? 1 + turn->own_ns / least_ns / LONG_PERIODS : 1;

	return turns < LONG_MAX ? (unsigned)turns : LONG_MAX;
}

/* More than three quarters of the turns must be starved: a single turn may have met a page read
 * from the disk or a slow host. */
bool governor_turn(struct governor *governor, const struct governor_turn *turn, uint64_t signal_ns,
		   uint64_t period_ns)
{
	uint64_t learnt_ns = learn(governor, turn->arrival_ns);
	unsigned turns = turns_of(turn, period_ns);
	bool verdict;

	if (!signal_ns && period_ns >= GOVERNOR_TRIAL_NS)
		signal_ns = learnt_ns;
	governor->turns += turns;
	governor->starved += is_starved(turn, signal_ns, period_ns) ? turns : 0;
	if (governor->turns < GOVERNOR_TURNS)
		return false;
	verdict = governor->starved > governor->turns / 4 * 3;
	governor->turns = governor->starved = 0;
	governor->learnt_ns = learnt_ns / ARRIVALS_PER_SIGNAL;
	governor->least_ns = 0;
	return verdict;
}

unsigned governor_backoff(unsigned backoff, uint64_t cost_ns, uint64_t period_ns)
{
	if (cost_ns > period_ns / 4 << backoff)
		return backoff < BACKOFF_MAX ? backoff + 1 : backoff;
	if (backoff && cost_ns < period_ns / 4 << (backoff - 1))
		return backoff - 1;
	return backoff;
}

/* CPU time never advances faster than the wall clock, so the heartbeat never comes before
 * from_ns. */
uint64_t governor_beat_ns(uint64_t now_ns, uint64_t from_ns, uint64_t period_ns)
{
	uint64_t beat_ns = GOVERNOR_BEAT_NS;

	if (from_ns > now_ns && from_ns - now_ns < beat_ns)
		beat_ns = from_ns - now_ns;
	return beat_ns > period_ns ? beat_ns : period_ns;
}

void governor_start(void)
{
	for (unsigned i = 0; i < EVENTS_MAX; i++)
		atomic_store_explicit(&raised[i], 0, memory_order_relaxed);
}

void governor_raise(unsigned counter, uint64_t period)
{
	uint64_t before = atomic_load_explicit(&raised[counter], memory_order_relaxed);

	while (before < period &&
	       !atomic_compare_exchange_weak_explicit(&raised[counter], &before, period,
						      memory_order_relaxed, memory_order_relaxed))
		;
}

uint64_t governor_raised(unsigned counter)
{
	return atomic_load_explicit(&raised[counter], memory_order_relaxed);
}

/* perf_swevent_init_hrtimer in kernel/events/core.c also converts a clock's frequency to a
 * period. */
uint64_t governor_period(const struct perf_event_attr *attr)
{
	if (!attr->freq)
		return attr->sample_period;
	return attr->sample_freq ? NS_PER_S / attr->sample_freq : 0;
}

void governor_slow(struct perf_event_attr *attr, uint64_t period)
{
	if (governor_period(attr) >= period)
		return;
	if (!attr->freq)
		attr->sample_period = period;
	else
		attr->sample_freq = period < NS_PER_S ? NS_PER_S / period : 1;
}

uint64_t governor_limit_hz(void)
{
	int64_t limit = proc_number("/proc/sys/kernel/perf_event_max_sample_rate", LIMIT_HZ);

	return limit > 0 ? (uint64_t)limit : LIMIT_HZ;
}

bool governor_limit(struct perf_event_attr *attr, uint64_t limit_hz)
{
	if (!attr->freq || attr->sample_freq <= limit_hz)
		return false;
	attr->sample_freq = limit_hz;
	return true;
}
