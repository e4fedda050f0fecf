/*
 * Nothing is stored for the random number: a state would need thread-local memory, or a page that
 * each forked child copies.  The time in ns, the thread and the counter are mixed until each bit
 * depends on all of theirs (the finalizer of splitmix64).
 */
#include "runtime/sample/perf/first_period.h"

#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/sys.h"

static uint64_t mix(uint64_t bits)
{
	bits += 0x9e3779b97f4a7c15ULL;
	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ULL;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebULL;
	return bits ^ bits >> 31;
}

uint64_t first_period_of(uint64_t random, uint64_t period, uint64_t least)
{
	uint64_t first = period ? random % period + 1 : 0;

	if (least < period / FIRST_PERIOD_LEAST)
		least = period / FIRST_PERIOD_LEAST;
	if (first < least)
		first = least;
	return first < period ? first : period;
}

uint64_t first_period_draw(uint64_t period, uint64_t least, unsigned which)
{
	uint64_t thread = (uint64_t)sys_gettid() << 32 | which;

	return first_period_of(mix(mix(machine_time_now_ns()) ^ thread), period, least);
}
