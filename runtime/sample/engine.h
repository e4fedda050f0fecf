/*
 * The ladder of engines: how an overflow reaches the thread that caused it.  Chosen once per
 * process, by trying, from the best rung down; or forced by FLAMETRAP_NOTIFY.
 */
#ifndef RUNTIME_SAMPLE_ENGINE_H
#define RUNTIME_SAMPLE_ENGINE_H

struct plan;
struct session_libc;
struct settings;

/* Fill the plan for the best rung that works and choose the signal.
 * Returns 0; or -errno when none does (plan->refused says which event and why).
 * Context: init. */
int engine_choose(struct plan *plan, const struct settings *settings,
		  const struct session_libc *libc, int *signal);

#endif
