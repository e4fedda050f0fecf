/*
 * Opens counters to find out whether they open and whether they ever count.
 */
#ifndef RUNTIME_SAMPLE_PLAN_PLAN_PROBE_H
#define RUNTIME_SAMPLE_PLAN_PLAN_PROBE_H

#include "config/events/events.h"

struct plan;

/* Descriptors of the counters that opened.  They stay open until all were tried, so that a
 * shortage (of breakpoint registers, of a PMU's counters) shows. */
struct plan_probe {
	int fd[EVENTS_MAX]; /* -1: not open */
};

void plan_probe_begin(struct plan_probe *probe);
void plan_probe_end(struct plan_probe *probe);

/* Opens one counter of the plan, in its group.  Returns 0 or -errno.  Context: init. */
int plan_probe_open(struct plan_probe *probe, const struct plan *plan, unsigned counter);

/* Returns `err`, the error of opening a counter, or -EDOM if the counter would open with another
 * clock for its time stamps.  Context: init. */
int plan_probe_explain(const struct plan_probe *probe, const struct plan *plan, unsigned counter,
		       int err);

/* Tests whether a leader's group ever gets onto its PMU.  Only hardware counters are tested:
 * software counters always run.  No counter may be open at the time of the call.  Returns 0, or
 * -ETIME if the group was enabled and did not run.  A group that cannot be tried counts as
 * running.  Context: init. */
int plan_probe_run(const struct plan *plan, unsigned leader);

#endif
