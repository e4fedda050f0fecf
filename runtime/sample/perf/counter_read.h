/*
 * Reads the present value of a mapped counter from user code, with its metadata page
 * (perf_event_open(2)).  This needs no descriptor, and none is kept.
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

/* Reads the counter of a page of the calling thread.  Returns 0, or -EOPNOTSUPP if the page does
 * not offer it (software counters, and hardware counters that are not on their PMU at present).
 * Context: any. */
int counter_read(const struct perf_event_mmap_page *page, struct counter_reading *reading);

/* Sets the fields of *attr that let user code read the counter.  To be called before the counter
 * is opened.  counter_read_ARCH.c. */
void counter_read_prepare(struct perf_event_attr *attr);

/* Reads the processor's counter number `counter`, which is the page's index - 1.  Returns false
 * if there is no such counter. */
bool counter_read_hardware(uint32_t counter, uint64_t *value);

/* Reads the processor's clock in the unit that the page's time_* fields convert from. */
uint64_t counter_read_clock(void);

#endif
