/*
 * Trials on the calling thread with a software event that signals SIGTRAP.
 */
#ifndef RUNTIME_SAMPLE_PERF_SIGTRAP_TRIAL_H
#define RUNTIME_SAMPLE_PERF_SIGTRAP_TRIAL_H

#include <signal.h>
#include <stdint.h>

#include "runtime/sample/perf/siginfo.h"

#define SIGTRAP_TRIAL_BIT (1ULL << (SIGTRAP - 1)) /* in a signal mask */

struct perf_event_attr;

/* Open the software event of attr->config, period and exclusions for the calling thread, and have
 * each overflow send SIGTRAP with our cookie; the rest of *attr is filled in.  Returns the
 * descriptor or -errno (before Linux 5.13 -EINVAL or -E2BIG).  Context: init. */
int sigtrap_trial_open(struct perf_event_attr *attr);

/* Call run(context) while SIGTRAP has the action `ours` and is not blocked; afterwards the action
 * and the mask are as before.  Returns 0; or -errno, without the call.  Context: init. */
int sigtrap_trial_run(siginfo_sigaction *set_action, const struct sigaction *ours,
		      void (*run)(void *context), void *context);

#endif
