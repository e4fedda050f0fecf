/*
 * The kernel stamps its records with the machine's clocks, and the command looks on from outside;
 * what clock_gettime(2) says in a time namespace is brought back to that.
 */
#include "runtime/sample/session.h"

#include <time.h>

#include "runtime/sample/sys.h"

static uint64_t offset_ns(clockid_t clock)
{
	if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW)
		return (uint64_t)session.monotonic_ahead_ns;
	return clock == CLOCK_BOOTTIME ? (uint64_t)session.boottime_ahead_ns : 0;
}

uint64_t session_clock_ns(clockid_t clock)
{
	struct timespec now = { 0 };

	sys_clock(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec - offset_ns(clock);
}

uint64_t session_now_ns(void)
{
	return session_clock_ns(CLOCK_MONOTONIC);
}
