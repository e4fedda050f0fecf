/*
 * The limit is read again for each plan: the kernel lowers it when its own interrupts take too
 * long.
 */
#include "runtime/sample/perf/rate.h"

#include "runtime/sample/sys/proc.h"

#define MOST_PATH "/proc/sys/kernel/perf_event_max_sample_rate"
#define MOST_HZ	  100000 /* the kernel's default */

uint64_t rate_most_hz(void)
{
	int64_t most = proc_number(MOST_PATH, MOST_HZ);

	return most > 0 ? (uint64_t)most : MOST_HZ;
}

bool rate_lower(struct perf_event_attr *attr, uint64_t most_hz)
{
	if (!attr->freq || attr->sample_freq <= most_hz)
		return false;
	attr->sample_freq = most_hz;
	return true;
}
