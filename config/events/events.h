/*
 * Parsing of events: from the user's event string to a list of counters in groups, and from each
 * counter to its perf_event_attr.  Only text and numbers, no system call and no allocation, so
 * that it can run in the target's constructor, in the launcher and in a fuzzer.
 */
#ifndef CONFIG_EVENTS_EVENTS_H
#define CONFIG_EVENTS_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/events/event.h"
#include "config/text/scan.h"

struct perf_event_attr;

/* Parse an event list in perf's grammar, e.g.  "task-clock,{cycles,instructions}:u".  Returns 0,
 * or -EINVAL with *complaint filled and *events unspecified.  Context: any. */
int events_parse(struct events *events, const char *text, struct complaint *complaint);

/* Build the attribute of one counter.  Sets the event's own fields: type, config, exclude_*, and
 * the period or frequency of the event, or else one of the two defaults, of which one is 0.  The
 * runtime adds the fields that it needs (sample_type, read_format, sigtrap, clock).  If
 * `kernel_allowed` is false the kernel side is excluded even if the event asks for it; a
 * kernel_only event then counts nothing.  A group member never has a rate of its own: with both
 * defaults 0 it only counts.  Breakpoints, tracepoints and probes are rare, and each occurrence
 * is worth a stack, so they are sampled one by one if neither the event nor a default period
 * says otherwise.  Context: any. */
void events_attr(const struct event *event, uint64_t period, uint64_t frequency_hz,
		 bool kernel_allowed, struct perf_event_attr *attr);

/* Returns 0, or the -errno of perf_errors_find() that says why the event must not be sampled on
 * this architecture, although the kernel would open it.  Context: any. */
int events_refused_here(const struct event *event);

/* True if CPU time may replace an event that is not available.  False for waiting, for events at
 * one place, and for software events of the kernel, because a profile under their name would be
 * wrong.  Context: any. */
bool events_time_will_do(const struct event *event);

#endif
