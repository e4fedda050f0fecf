/*
 * What a context switch costs a thread that has a clock: the clock's kernel timer is cancelled when
 * the thread leaves the processor, and started when it comes back.
 */
#ifndef RUNTIME_SAMPLE_PERF_SWITCH_COST_H
#define RUNTIME_SAMPLE_PERF_SWITCH_COST_H

#include <stdint.h>

struct perf_event_attr;

/* Measures it, in some 0.1 ms, for the calling thread, which has an enabled event made of *attr.
 * Returns nanoseconds; 0: it could not be measured.  Context: thread, signal. */
uint64_t switch_cost_measure(const struct perf_event_attr *attr);

#endif
