/*
 * Runs trials on the calling thread with a software event that sends SIGTRAP.
 */
#ifndef RUNTIME_SAMPLE_PERF_SIGTRAP_TRIAL_H
#define RUNTIME_SAMPLE_PERF_SIGTRAP_TRIAL_H

#include <signal.h>

#include "runtime/sample/perf/siginfo.h"

#define SIGTRAP_TRIAL_BIT (1ULL << (SIGTRAP - 1)) /* in a signal mask */

struct perf_event_attr;

/* Opens the software event attr->config, with the period and exclusions of *attr, for the calling
 * thread.  Each overflow sends SIGTRAP with our cookie.  The function fills in the rest of *attr.
 * Returns the descriptor or -errno (-EINVAL or -E2BIG before Linux 5.13).  Context: init. */
int sigtrap_trial_open(struct perf_event_attr *attr);

/* Calls run(context) while SIGTRAP has the action `ours` and is not blocked.  Afterwards it
 * restores the action and the mask.  Returns 0, or -errno without the call.  Context: init. */
int sigtrap_trial_run(siginfo_sigaction *set_action, const struct sigaction *ours,
		      void (*run)(void *context), void *context);

#endif
