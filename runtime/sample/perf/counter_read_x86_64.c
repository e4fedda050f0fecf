/*
 * Reads with RDPMC.  The kernel allows it to processes that map a counter: /sys/devices/cpu/rdpmc.
 */
#include "runtime/sample/perf/counter_read.h"

void counter_read_prepare(struct perf_event_attr *attr)
{
	(void)attr;
}

bool counter_read_hardware(uint32_t counter, uint64_t *value)
{
	uint32_t low, high;

	__asm__ volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(counter));
	*value = (uint64_t)high << 32 | low;
	return true;
}

uint64_t counter_read_clock(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (uint64_t)high << 32 | low;
}
