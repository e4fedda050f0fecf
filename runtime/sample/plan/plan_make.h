/*
 * Makes the plan of a process: the user's events in the richest form that opens here.
 */
#ifndef RUNTIME_SAMPLE_PLAN_PLAN_MAKE_H
#define RUNTIME_SAMPLE_PLAN_PLAN_MAKE_H

#include <stdbool.h>

#include "runtime/spool/format.h"

struct plan;
struct settings;

/* Plans the counters for an engine (sigtrap or sigio).  It opens them on the calling thread and
 * closes them again.  This decides about the kernel side, lost counts, and task-clock in place
 * of the default event cycles.  Symbols without a path are searched in `executable`.  Returns 0,
 * or -errno if no leader opens.  Context: init. */
int plan_counters(struct plan *plan, const struct settings *settings, const char *executable,
		  enum spool_engine engine);

/* True if a counter that opened counts the kernel side by default and not by request.  Context:
 * init. */
bool plan_kernel_by_default(const struct plan *plan);

/* Leaves the kernel side out of such counters, because the program would notice it
 * (engine.c).  `reason` is a clause for the profile.  Context: init. */
void plan_spare(struct plan *plan, const char *reason);

/* Plans no counter, for a reason of perf_errors.h that applies to this event.  Context: init. */
void plan_refuse(struct plan *plan, const struct settings *settings, unsigned event, int err);

/* Plans for timers alone: one counter, task-clock.  Keeps the earlier refusal.  Context: init. */
void plan_timer(struct plan *plan, const struct settings *settings);

#endif
