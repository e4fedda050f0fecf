/*
 * The sampling periods of a plan's counters.
 */
#ifndef RUNTIME_SAMPLE_PERF_PLAN_PERIOD_H
#define RUNTIME_SAMPLE_PERF_PLAN_PERIOD_H

#include <stdbool.h>

#include "runtime/sample/perf/siginfo.h"

struct plan;

/* Sets plan->busy_period_ns from the leaders that opened.  Context: init. */
void plan_period_note(struct plan *plan);

/* If a clock's period is near the cost of a sample, measures that cost, and raises the period if
 * it would leave the program too little time (governor.h).  Several clocks share the available
 * time.  Context: init, after unwind_start. */
void plan_period_try(struct plan *plan, siginfo_sigaction *set_action);

/* True for a counter that is a clock of the thread's CPU time and takes samples.  Context: any. */
bool plan_period_is_clock(const struct plan *plan, unsigned counter);

/* True for a clock, and for a counter that our own handler makes overflow, such as cycles.
 * Context: any. */
bool plan_period_is_of_time(const struct plan *plan, unsigned counter);

#endif
