/*
 * The ladder of engines: how an overflow reaches the thread that caused it.  Chosen once per
 * process, by trying, from the best rung down; or forced by FLAMETRAP_NOTIFY.
 */
#ifndef RUNTIME_SAMPLE_PERF_ENGINE_H
#define RUNTIME_SAMPLE_PERF_ENGINE_H

#include "runtime/sample/perf/siginfo.h"

struct plan;
struct settings;

/* Fill the plan for the best rung that works and choose the signal.  `executable` is the program's
 * path.
 * Returns 0; or -errno when none does (plan->refused says which event and why).
 * Context: init. */
int engine_choose(struct plan *plan, const struct settings *settings, const char *executable,
		  siginfo_sigaction *set_action, int *signal);

#endif
