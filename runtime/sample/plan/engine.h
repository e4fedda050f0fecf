/*
 * The ladder of engines.  An engine is the way in which an overflow reaches the thread that caused
 * it.  The engine is chosen once per process, by trying from the best rung down, or it is forced by
 * FLAMETRAP_NOTIFY.
 */
#ifndef RUNTIME_SAMPLE_PLAN_ENGINE_H
#define RUNTIME_SAMPLE_PLAN_ENGINE_H

#include "runtime/sample/perf/siginfo.h"

struct plan;
struct settings;

/* Fills the plan for the best rung that works and chooses the signal.  `executable` is the path
 * of the program.  Returns 0, or -errno if no rung works (plan->refused and plan->refused_event
 * say why).  Context: init. */
int engine_choose(struct plan *plan, const struct settings *settings, const char *executable,
		  siginfo_sigaction *set_action, int *signal);

#endif
