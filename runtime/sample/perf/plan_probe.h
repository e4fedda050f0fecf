/*
 * Opening counters to see whether they open, and whether they ever count.
 */
#ifndef RUNTIME_SAMPLE_PERF_PLAN_PROBE_H
#define RUNTIME_SAMPLE_PERF_PLAN_PROBE_H

#include "config/events/events.h"

struct plan;

/* Descriptors of the counters that opened.  They stay open until all were tried, so that shortages
 * (breakpoint registers, counters of a PMU) show. */
struct plan_probe {
	int fd[EVENTS_MAX]; /* -1: not open */
};

void plan_probe_begin(struct plan_probe *probe);
void plan_probe_end(struct plan_probe *probe);

/* Open one counter of the plan, in its group.  Returns 0 or -errno.  Context: init. */
int plan_probe_open(struct plan_probe *probe, const struct plan *plan, unsigned counter);

/* The error of opening a counter, or -EDOM if it would open with records stamped by another clock.
 * Context: init. */
int plan_probe_explain(const struct plan_probe *probe, const struct plan *plan, unsigned counter,
		       int err);

/* Does the group of this leader ever get onto its PMU?  Looked at for hardware alone; software
 * always runs.  Call when nothing is held open.  Returns 0; -ETIME if the group was enabled and
 * did not run; what cannot be tried is taken to run.  Context: init. */
int plan_probe_run(const struct plan *plan, unsigned leader);

#endif
