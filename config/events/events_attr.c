/*
 * The fields of the attribute that come from the event.  The runtime adds its own.
 */
#include <string.h>

#include <linux/perf_event.h>

#include "config/events/events.h"

/* True if each occurrence is worth a stack.  perf samples these one by one too. */
static bool is_rare(const struct event *event)
{
	return event->type == PERF_TYPE_BREAKPOINT || event->type == PERF_TYPE_TRACEPOINT ||
	       event->symbol[0] || event->path[0];
}

static void set_rate(const struct event *event, uint64_t period, uint64_t frequency_hz,
		     struct perf_event_attr *attr)
{
	if (event->period || event->frequency_hz) {
		period = event->period;
		frequency_hz = event->frequency_hz;
	} else if (!period && frequency_hz && is_rare(event)) {
		period = 1;
	}
	if (period) {
		attr->sample_period = period;
	} else if (frequency_hz) {
		attr->freq = 1;
		attr->sample_freq = frequency_hz;
	}
}

void events_attr(const struct event *event, uint64_t period, uint64_t frequency_hz,
		 bool kernel_allowed, struct perf_event_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->size = sizeof(*attr);
	attr->type = event->type;
	attr->config = event->config;
	attr->config1 = event->config1;
	attr->config2 = event->config2;
	if (event->type == PERF_TYPE_BREAKPOINT) {
		attr->bp_type = event->bp_type;
		attr->bp_addr = event->bp_addr;
		attr->bp_len = event->bp_len;
	}
	attr->exclude_user = event->kernel_only;
	attr->exclude_kernel = event->user_only || !kernel_allowed;
	attr->exclude_hv = attr->exclude_kernel || event->exclude_hv;
	attr->exclude_idle = event->exclude_idle;
	attr->exclude_host = event->exclude_host;
	attr->exclude_guest = event->exclude_guest;
	attr->exclude_callchain_kernel = event->exclude_callchain_kernel;
	attr->precise_ip = event->precise & 3;
	attr->pinned = event->pinned;
	attr->exclusive = event->exclusive;
	attr->sample_max_stack = event->sample_max_stack;
	set_rate(event, period, frequency_hz, attr);
}

bool events_time_will_do(const struct event *event)
{
	bool clock = event->unit == EVENTS_UNIT_NS && !event->off_cpu;

	return clock ||
	       (event->type != PERF_TYPE_SOFTWARE && event->type != PERF_TYPE_TRACEPOINT &&
		event->type != PERF_TYPE_BREAKPOINT && !event->symbol[0] && !event->path[0]);
}
