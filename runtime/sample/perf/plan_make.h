/*
 * Deciding what a process opens: the user's events in the richest form that opens here.
 */
#ifndef RUNTIME_SAMPLE_PERF_PLAN_MAKE_H
#define RUNTIME_SAMPLE_PERF_PLAN_MAKE_H

#include <stdbool.h>

#include "runtime/spool/format.h"

struct plan;
struct settings;

/* Plan counters for an engine (sigtrap or sigio), by opening them on the calling thread and closing
 * them again.  This decides about kernel side, lost counts, and task-clock in place of default
 * cycles.  Symbols without a path are searched in `executable`.  Returns 0; or -errno when no
 * leader opens.  Context: init. */
int plan_counters(struct plan *plan, const struct settings *settings, const char *executable,
		  enum spool_engine engine);

/* True if a counter that opened counts the kernel side by default, not by request.  Context:
 * init. */
bool plan_kernel_by_default(const struct plan *plan);

/* Leave that side out of those counters: the program would feel it (eintr_trial.h).
 * Context: init. */
void plan_spare(struct plan *plan);

/* Plan for timers alone: one counter, task-clock.  Keeps what was refused before.
 * Context: init. */
void plan_timer(struct plan *plan, const struct settings *settings);

#endif
