/*
 * kernel.perf_event_max_sample_rate: the highest sampling frequency that a counter may ask for.
 * perf_event_open(2) returns EINVAL for a higher one.  The kernel lowers the limit by itself, at
 * any time, when its interrupts take too long (kernel.perf_cpu_time_max_percent).
 */
#ifndef RUNTIME_SAMPLE_PERF_FREQ_LIMIT_H
#define RUNTIME_SAMPLE_PERF_FREQ_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/perf_event.h>

/* Returns the limit in samples per second, or the kernel's default if it cannot be read.
 * Context: init, thread start. */
uint64_t freq_limit_hz(void);

/* Lowers an event's frequency to `limit_hz`.  Returns false if the event is not sampled by
 * frequency or its frequency is within the limit.  Context: any. */
bool freq_limit_lower(struct perf_event_attr *attr, uint64_t limit_hz);

#endif
