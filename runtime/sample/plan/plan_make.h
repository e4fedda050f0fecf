/*
 * Makes the plan of a process: the user's events in the richest form that opens here.
 */
#ifndef RUNTIME_SAMPLE_PLAN_PLAN_MAKE_H
#define RUNTIME_SAMPLE_PLAN_PLAN_MAKE_H

#include "runtime/spool/format.h"

struct plan;
struct settings;

/* Plans the counters for an engine (sigtrap or sigio).  It opens them on the calling thread and
 * closes them again.  This decides about the kernel side, lost counts, and task-clock in place
 * of the default event cycles.  Symbols without a path are searched in `executable`.  Returns 0,
 * or -errno if no leader opens.  Context: init. */
int plan_counters(struct plan *plan, const struct settings *settings, const char *executable,
		  enum spool_engine engine);

/* Plans no counter, for a reason of perf_errors.h that applies to this event.  Context: init. */
void plan_refuse(struct plan *plan, const struct settings *settings, unsigned event, int err);

/* Plans for timers alone: one counter, task-clock.  Keeps the earlier refusal.  Context: init. */
void plan_timer(struct plan *plan, const struct settings *settings);

#endif
