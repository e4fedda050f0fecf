/*
 * What a mapped counter counted until now, read from user code: perf_event_open(2), the metadata
 * page.  No descriptor is needed, which none is kept of.
 */
#ifndef RUNTIME_SAMPLE_PERF_COUNTER_READ_H
#define RUNTIME_SAMPLE_PERF_COUNTER_READ_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event_attr;
struct perf_event_mmap_page;

struct counter_reading {
	uint64_t value;
	uint64_t enabled_ns;
	uint64_t running_ns;
};

/* Read the counter of a page of the calling thread.  Returns 0; or -EOPNOTSUPP where the page
 * does not offer it (software counters, and hardware that is not on its PMU at present).
 * Context: any. */
int counter_read(const struct perf_event_mmap_page *page, struct counter_reading *reading);

/* Ask for what user reads of this counter need, before it is opened.  counter_read_ARCH.c. */
void counter_read_prepare(struct perf_event_attr *attr);

/* The processor's counter with the page's index - 1; false if it has no such. */
bool counter_read_hardware(uint32_t counter, uint64_t *value);

/* The processor's clock, as the page's time_* fields want it. */
uint64_t counter_read_clock(void);

#endif
