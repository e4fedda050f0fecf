/*
 * A forked child reads no file for facts that the clocks can give, because a process that forks
 * often would pay for the file each time.
 */
#include "runtime/sample/sys/machine_time.h"

#include <stdbool.h>
#include <sys/auxv.h>
#include <time.h>

#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"

#define SECOND_NS	1000000000ULL
#define TICK_SLACK_NS	1000	/* tolerance between two ways of reading one clock */
#define USUAL_TICKS	100	/* per second: USER_HZ on the supported machines */
#define OFFSET_SLACK_NS 1000000 /* two clocks cannot be read at one moment */

/* Distance of each clock from CLOCK_REALTIME, which has no namespaces, when the offsets were read.
 * The distance changes with the time namespace and when a clock is set. */
static int64_t monotonic_distance_ns, boottime_distance_ns;
static int64_t monotonic_ahead_ns, boottime_ahead_ns; /* offsets to the machine's clocks */
static uint64_t tick_ns; /* of proc(5), the unit of start_ticks; 0: not known yet */

static uint64_t offset_ns(clockid_t clock)
{
	if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW)
		return (uint64_t)monotonic_ahead_ns;
	return clock == CLOCK_BOOTTIME ? (uint64_t)boottime_ahead_ns : 0;
}

static uint64_t raw_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	sys_clock(clock, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

uint64_t machine_time_ns(clockid_t clock)
{
	return raw_ns(clock) - offset_ns(clock);
}

uint64_t machine_time_now_ns(void)
{
	return machine_time_ns(CLOCK_MONOTONIC);
}

static int64_t distance_ns(clockid_t clock)
{
	return (int64_t)(raw_ns(clock) - raw_ns(CLOCK_REALTIME));
}

static bool is_near(int64_t a_ns, int64_t b_ns)
{
	return a_ns - b_ns < OFFSET_SLACK_NS && b_ns - a_ns < OFFSET_SLACK_NS;
}

static uint64_t ticks_per_second(void)
{
	uint64_t ticks = getauxval(AT_CLKTCK);

	return ticks ? ticks : USUAL_TICKS;
}

void machine_time_learn(void)
{
	int64_t monotonic_ns = distance_ns(CLOCK_MONOTONIC);
	int64_t boottime_ns = distance_ns(CLOCK_BOOTTIME);

	if (tick_ns && is_near(monotonic_ns, monotonic_distance_ns) &&
	    is_near(boottime_ns, boottime_distance_ns))
		return;
	tick_ns = SECOND_NS / ticks_per_second();
	monotonic_distance_ns = monotonic_ns;
	boottime_distance_ns = boottime_ns;
	proc_clock_offsets(&monotonic_ahead_ns, &boottime_ahead_ns);
}

uint64_t machine_time_boot_ns(void)
{
	return raw_ns(CLOCK_BOOTTIME);
}

/* The kernel reads the time in the middle of the fork and counts whole ticks (proc(5), field 22 of
 * stat).  If the fork began and ended in the same tick, the file need not be read. */
uint64_t machine_time_ticks(uint64_t from_ns, uint64_t to_ns)
{
	if ((from_ns - TICK_SLACK_NS) / tick_ns != (to_ns + TICK_SLACK_NS) / tick_ns)
		return proc_start_ticks();
	return from_ns / tick_ns;
}
