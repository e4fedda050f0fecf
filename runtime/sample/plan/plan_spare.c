/*
 * Leaves the kernel side that nobody asked for out of a plan, where its samples would do harm.
 */
#include <stdbool.h>

#include "config/events/known.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/plan/plan_make.h"

/* True if the counter counts both sides by default: neither :k nor a kernel-only event asks for
 * it. */
static bool kernel_by_default(const struct plan *plan, unsigned counter)
{
	const struct event *event = &plan->events.event[counter];

	return plan->available[counter] && !plan->attr[counter].exclude_kernel &&
	       event->type <= PERF_TYPE_RAW && !event->kernel_only && !event->off_cpu &&
	       !known_in_kernel(event->type, event->config);
}

bool plan_kernel_by_default(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->events.count; i++)
		if (kernel_by_default(plan, i))
			return true;
	return false;
}

void plan_spare(struct plan *plan, const char *reason)
{
	bool kernel = false;

	for (unsigned i = 0; i < plan->events.count; i++) {
		if (kernel_by_default(plan, i))
			plan->attr[i].exclude_kernel = 1;
		kernel |= plan->available[i] && !plan->attr[i].exclude_kernel;
	}
	plan->spared = reason;
	if (kernel)
		return;
	plan->kernel = false;
	plan->ring_pages = PLAN_PAGES_USER_ONLY;
	plan->format.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	for (unsigned i = 0; i < plan->events.count; i++)
		plan->attr[i].sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
}
