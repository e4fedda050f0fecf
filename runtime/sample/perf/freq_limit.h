/*
 * kernel.perf_event_max_sample_rate: what a counter that is sampled by frequency may ask for.
 * perf_event_open(2) answers EINVAL to more, and the kernel lowers the setting by itself when
 * interrupts take it too long (kernel.perf_cpu_time_max_percent), at any time.
 */
#ifndef RUNTIME_SAMPLE_PERF_FREQ_LIMIT_H
#define RUNTIME_SAMPLE_PERF_FREQ_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include <linux/perf_event.h>

/* Samples a second; the kernel's default where it cannot be read.  Context: init, thread start. */
uint64_t freq_limit_hz(void);

/* Lower an event's frequency to `limit_hz`; false if it has none, or a lower one.  Context: any. */
bool freq_limit_lower(struct perf_event_attr *attr, uint64_t limit_hz);

#endif
