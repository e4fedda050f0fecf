/*
 * What to count: from the user's event string to a list of counters in groups, and from each
 * counter to its perf_event_attr.  Pure text and numbers: no system call, no allocation, so that it
 * can run in the target's constructor, in the launcher and in a fuzzer.
 */
#ifndef CONFIG_EVENTS_EVENTS_H
#define CONFIG_EVENTS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/events/event.h"
#include "config/text/scan.h"

struct perf_event_attr;

/* Read an event list in perf's grammar, e.g. "task-clock,{cycles,instructions}:u".
 * Returns 0; or -EINVAL with *complaint filled, *events unspecified.  Context: any. */
int events_parse(struct events *events, const char *text, struct complaint *complaint);

/* Build the attribute of one counter.  Sets what the event says (type, config, exclude_*,
 * period or frequency from the event or else from the two defaults, of which one is 0);
 * the runtime adds what it needs to be told (sample_type, read_format, sigtrap, clock).
 * kernel_allowed false excludes the kernel side whatever the event says; of a kernel_only event
 * nothing is left then.  A member of a group never has a rate of its own: with both defaults 0
 * it only counts.  Events that are rare and each worth a stack (breakpoints, tracepoints,
 * probes) are sampled one by one where neither event nor default period says otherwise.
 * Context: any. */
void events_attr(const struct event *event, uint64_t period, uint64_t frequency_hz,
		 bool kernel_allowed, struct perf_event_attr *attr);

/* True if time on the processor may stand in for an event that cannot be had: not for waiting,
 * nor for what happens at one place, nor for what the kernel counts in software, since under
 * their name it would be wrong.  Context: any. */
bool events_time_will_do(const struct event *event);

#endif
