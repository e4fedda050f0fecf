/*
 * How often the counters of a plan take samples.
 */
#ifndef RUNTIME_SAMPLE_PERF_PLAN_PERIOD_H
#define RUNTIME_SAMPLE_PERF_PLAN_PERIOD_H

#include <stdbool.h>

#include "runtime/sample/perf/siginfo.h"

struct plan;

/* Fill plan->busy_period_ns from the leaders that opened.  Context: init. */
void plan_period_note(struct plan *plan);

/* Where a clock's period is near what a sample may cost, try that out, and raise the period if it
 * would leave the program too little (governor.h).  Several clocks share what there is.  Context:
 * init, after unwind_start. */
void plan_period_try(struct plan *plan, siginfo_sigaction *set_action);

/* Is it a clock of the thread's CPU time, which takes samples?  Context: any. */
bool plan_period_is_clock(const struct plan *plan, unsigned counter);

/* A clock, or a counter that our own handler makes overflow: of cycles, say.  Context: any. */
bool plan_period_is_of_time(const struct plan *plan, unsigned counter);

#endif
