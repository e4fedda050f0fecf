/*
 * The kernel stamps its records with the machine's clocks, and the command looks on from outside;
 * what clock_gettime(2) says in a time namespace is brought back to that.
 *
 * A forked child reads no file for what it can tell from the clocks, because a process that forks
 * often would pay for it each time.
 */
#include "runtime/sample/session.h"

#include <sys/auxv.h>
#include <time.h>

#include "runtime/sample/proc.h"
#include "runtime/sample/sys.h"

#define SECOND_NS	1000000000ULL
#define TICK_SLACK_NS	1000	/* between two ways of reading one clock */
#define USUAL_TICKS	100	/* a second: USER_HZ wherever we run */
#define OFFSET_SLACK_NS 1000000 /* two clocks are not read at one moment */

/* How far a clock was ahead of CLOCK_REALTIME, which has no namespaces, when the offsets were read:
 * another namespace has another distance, and so have clocks that were set. */
static int64_t monotonic_distance_ns, boottime_distance_ns;
static uint64_t tick_ns; /* of proc(5), the unit of start_ticks; 0: nothing was learnt yet */

static uint64_t offset_ns(clockid_t clock)
{
	if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW)
		return (uint64_t)session.monotonic_ahead_ns;
	return clock == CLOCK_BOOTTIME ? (uint64_t)session.boottime_ahead_ns : 0;
}

static uint64_t raw_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	sys_clock(clock, &now);
	return (uint64_t)now.tv_sec * SECOND_NS + (uint64_t)now.tv_nsec;
}

uint64_t session_clock_ns(clockid_t clock)
{
	return raw_ns(clock) - offset_ns(clock);
}

uint64_t session_now_ns(void)
{
	return session_clock_ns(CLOCK_MONOTONIC);
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

void session_clock_learn(void)
{
	int64_t monotonic_ns = distance_ns(CLOCK_MONOTONIC);
	int64_t boottime_ns = distance_ns(CLOCK_BOOTTIME);

	if (tick_ns && is_near(monotonic_ns, monotonic_distance_ns) &&
	    is_near(boottime_ns, boottime_distance_ns))
		return;
	tick_ns = SECOND_NS / ticks_per_second();
	monotonic_distance_ns = monotonic_ns;
	boottime_distance_ns = boottime_ns;
	proc_clock_offsets(&session.monotonic_ahead_ns, &session.boottime_ahead_ns);
}

/* The window is read here, where the spool's page is at hand, and not in each child. */
void session_fork_begin(void)
{
	session_window_keep();
	session.forking_at_ns = raw_ns(CLOCK_BOOTTIME);
}

void session_fork_end(void)
{
	session.forking_at_ns = 0;
}

/* The kernel takes the time in the middle of the fork, and counts whole ticks of it (proc(5), field
 * 22 of stat): nothing is left to ask if the fork began and ended in one of them. */
static uint64_t start_ticks(uint64_t from_ns, uint64_t to_ns)
{
	if ((from_ns - TICK_SLACK_NS) / tick_ns != (to_ns + TICK_SLACK_NS) / tick_ns)
		return proc_start_ticks();
	return from_ns / tick_ns;
}

void session_clock_restart(void)
{
	session_clock_learn();
	if (session.forking_at_ns)
		session.start_ticks = start_ticks(session.forking_at_ns, raw_ns(CLOCK_BOOTTIME));
	session_fork_end();
}
