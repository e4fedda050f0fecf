/*
 * The limit is read again for each plan, because the kernel lowers it when its own interrupts take
 * too long.
 */
#include "runtime/sample/perf/freq_limit.h"

#include "runtime/sample/sys/proc.h"

#define LIMIT_PATH "/proc/sys/kernel/perf_event_max_sample_rate"
#define DEFAULT_HZ 100000 /* the kernel's default */

uint64_t freq_limit_hz(void)
{
	int64_t limit = proc_number(LIMIT_PATH, DEFAULT_HZ);

	return limit > 0 ? (uint64_t)limit : DEFAULT_HZ;
}

bool freq_limit_lower(struct perf_event_attr *attr, uint64_t limit_hz)
{
	if (!attr->freq || attr->sample_freq <= limit_hz)
		return false;
	attr->sample_freq = limit_hz;
	return true;
}
