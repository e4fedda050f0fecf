/*
 * Only counters of time on the processor have a period in ns.  The shortest of these periods
 * decides whether a trial of a sample's cost is worth its time.
 */
#include "runtime/sample/perf/plan_period.h"

#include "config/events/known.h"
#include "runtime/sample/perf/governor.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/perf/cost_trial.h"

/* Returns 0 if the counter's period is not time on the processor. */
static uint64_t period_ns(const struct plan *plan, unsigned counter)
{
	const struct perf_event_attr *attr = &plan->attr[counter];
	const struct event *event = &plan->events.event[counter];

	if (attr->freq && event->type != PERF_TYPE_HARDWARE && event->unit != EVENTS_UNIT_NS)
		return 0;
	if (!attr->freq && (event->unit != EVENTS_UNIT_NS || event->off_cpu))
		return 0;
	return governor_period(attr);
}

void plan_period_note(struct plan *plan)
{
	plan->busy_period_ns = 0;
	for (unsigned i = 0; i < plan->events.count; i++) {
		uint64_t ns = plan_takes_samples(plan, i) ? period_ns(plan, i) : 0;

		if (ns && (!plan->busy_period_ns || ns < plan->busy_period_ns))
			plan->busy_period_ns = ns;
	}
}

/* Raises the periods of all clocks that would overflow more often than once per least_ns.  Notes
 * for the user that a sample costs cost_ns (0: not known). */
static void raise_periods(struct plan *plan, uint64_t least_ns, uint64_t cost_ns)
{
	if (plan->busy_period_ns >= least_ns)
		return;
	plan->cost_ns = cost_ns;
	plan->raised_from_ns = plan->busy_period_ns;
	for (unsigned i = 0; i < plan->events.count; i++)
		if (plan_takes_samples(plan, i) && period_ns(plan, i))
			governor_slow(&plan->attr[i], least_ns);
	plan_period_note(plan);
	plan->raised_to_ns = plan->busy_period_ns;
}

static unsigned count_clocks(const struct plan *plan)
{
	unsigned clocks = 0;

	for (unsigned i = 0; i < plan->events.count; i++)
		clocks += plan_takes_samples(plan, i) && period_ns(plan, i);
	return clocks;
}

void plan_period_try(struct plan *plan, siginfo_sigaction *set_action)
{
	unsigned clocks = count_clocks(plan);
	struct cost_trial trial;

	governor_start();
	if (plan->engine == SPOOL_ENGINE_TIMER || !clocks ||
	    plan->busy_period_ns >= clocks * GOVERNOR_TRIAL_NS)
		return;
	if (!cost_trial_run(plan->kernel, set_action, &trial)) {
		plan->signal_ns = trial.signal_ns;
		raise_periods(plan, governor_least_ns(clocks * trial.cost_ns), trial.cost_ns);
	} else if (clocks > 1) {
		/* the interrupts of two clocks alone may use up all time */
		raise_periods(plan, governor_least_ns(clocks * GOVERNOR_CLOCK_NS), 0);
	}
}

bool plan_period_is_clock(const struct plan *plan, unsigned counter)
{
	const struct perf_event_attr *attr = &plan->attr[counter];

	return plan_takes_samples(plan, counter) && known_is_clock(attr->type, attr->config);
}

bool plan_period_is_of_time(const struct plan *plan, unsigned counter)
{
	uint32_t type = plan->attr[counter].type;

	return plan_period_is_clock(plan, counter) ||
	       (type != PERF_TYPE_SOFTWARE && type != PERF_TYPE_TRACEPOINT &&
		type != PERF_TYPE_BREAKPOINT);
}
