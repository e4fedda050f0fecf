/*
 * The library decides in the program (runtime/sample/plan/engine.c); this check only predicts a
 * certain refusal.  In any doubt the program runs.
 */
#include "runtime/command/run/event_check.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "config/events/events.h"
#include "config/events/known.h"
#include "config/events/perf_errors.h"
#include "config/settings/settings.h"
#include "runtime/command/base/counter_probe.h"
#include "runtime/command/base/kernel_limits.h"

#define PERIOD 1000000 /* any value: the counter is never enabled */

static bool is_probe(const struct event *event)
{
	return event->type != PERF_TYPE_BREAKPOINT && (event->symbol[0] || event->path[0]);
}

/* The probe's address is found in the program, but the permissions for it are the same here. */
static int try_probe(const struct perf_event_attr *attr)
{
	return kernel_limits_privileged() ? 0 : counter_probe_best(attr).err;
}

/* Returns 0 if it opens, or might open in the program; or -errno. */
static int try_event(const struct settings *settings, const struct event *event)
{
	static uint64_t watched; /* in place of the program's variable */
	bool kernel = settings->kernel != SETTINGS_KERNEL_NO;
	struct perf_event_attr attr;
	struct counter_probe probe;

	if (events_refused_here(event))
		return events_refused_here(event);
	events_attr(event, PERIOD, 0, kernel, &attr);
	attr.disabled = 1;
	if (event->precise_most)
		attr.precise_ip = 0;
	if (is_probe(event))
		return try_probe(&attr);
	if (event->type == PERF_TYPE_BREAKPOINT && event->symbol[0])
		attr.bp_addr = (uintptr_t)&watched;
	probe = counter_probe_best(&attr);
	if (!probe.err && event->off_cpu && !probe.kernel)
		return -EACCES; /* a context switch happens in the kernel */
	if (!probe.err && !(kernel && probe.kernel && !event->user_only) && !event->off_cpu &&
	    (event->kernel_only || known_in_kernel(event->type, event->config)))
		return -ENODATA; /* it would stay at 0 */
	return probe.err;
}

/* Causes that the program cannot change: the machine has no such counter, or no user may count. */
static bool is_certain(int err, bool time_will_do)
{
	switch (-err) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case ENODATA:
	case ELOOP:
		return true;
	case EACCES:
	case EPERM:
	case ENOSYS:
		return !time_will_do; /* otherwise a timer replaces it */
	default:
		return false;
	}
}

/* One of the kernel's own clocks, which every machine has; where counters are refused a timer
 * replaces them. */
static bool is_sure(const struct event *event)
{
	return event->type == PERF_TYPE_SOFTWARE && events_time_will_do(event) &&
	       !event->kernel_only && !event->precise && !event->precise_most;
}

static void explain(const struct event *event, int err, char *line, size_t bytes)
{
	const struct perf_error *error = perf_errors_find(err);
	bool kernels = error && error->name; /* not a refusal found by this check */
	char reason[384];

	counter_probe_reason(err, reason, sizeof(reason));
	snprintf(line, bytes, "%.*s cannot be counted%s%s%s: %s", EVENTS_NAME_MAX, event->name,
		 kernels ? " (" : "", kernels ? error->name : "", kernels ? ")" : "", reason);
}

int event_check(const struct settings *settings, char *line, size_t bytes)
{
	const struct events *events = &settings->events;
	const struct event *refused = NULL;
	bool time_will_do = false;
	int first = 0;

	if (events->defaulted || settings->notify == SETTINGS_NOTIFY_TIMER)
		return 0;
	for (unsigned i = 0; i < events->count; i++) {
		if (events->event[i].leader == i && is_sure(&events->event[i]))
			return 0;
		time_will_do |= events_time_will_do(&events->event[i]);
	}
	for (unsigned i = 0; i < events->count; i++) {
		int err;

		if (events->event[i].leader != i)
			continue;
		err = try_event(settings, &events->event[i]);
		if (!is_certain(err, time_will_do))
			return 0;
		first = refused ? first : err;
		refused = refused ? refused : &events->event[i];
	}
	if (refused)
		explain(refused, first, line, bytes);
	return first;
}
