/*
 * Reads PMU registers.  The kernel allows this for events that ask for it if
 * kernel.perf_user_access is 1: Documentation/arch/arm64/perf.rst.
 */
#include "runtime/sample/perf/counter_read.h"

#include <linux/perf_event.h>

#define USER_ACCESS   2u /* in config1 */
#define CYCLE_COUNTER 31

void counter_read_prepare(struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE ||
	    attr->type == PERF_TYPE_RAW)
		attr->config1 |= USER_ACCESS;
}

#define COUNTERS_0(X)  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define COUNTERS_8(X)  X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15)
#define COUNTERS_16(X) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23)
#define COUNTERS_24(X) X(24) X(25) X(26) X(27) X(28) X(29) X(30)

/* The register's number is part of the instruction. */
bool counter_read_hardware(uint32_t counter, uint64_t *value)
{
#define READ_COUNTER(n)                                                        \
	case n:                                                                \
		__asm__ volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(*value)); \
		return true;
	switch (counter) {
		COUNTERS_0(READ_COUNTER)
		COUNTERS_8(READ_COUNTER)
		COUNTERS_16(READ_COUNTER)
		COUNTERS_24(READ_COUNTER)
	case CYCLE_COUNTER:
		__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(*value));
		return true;
	default:
		return false;
	}
}

uint64_t counter_read_clock(void)
{
	uint64_t now;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(now)::"memory");
	return now;
}
