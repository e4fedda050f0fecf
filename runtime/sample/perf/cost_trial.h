/*
 * What one sample of a clock costs on this machine: the interrupt, the signal and the walk.
 */
#ifndef RUNTIME_SAMPLE_PERF_COST_TRIAL_H
#define RUNTIME_SAMPLE_PERF_COST_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/perf/siginfo.h"

struct cost_trial {
	uint64_t cost_ns;   /* of the whole sample */
	uint64_t signal_ns; /* of this, what the kernel takes for the signal */
};

/* Take a few samples of task-clock in the calling thread, of user code or of the `kernel` too, and
 * say what they cost: a millisecond.  SIGTRAP has a handler of ours meanwhile.  Returns 0; or
 * -errno where that cannot be tried (before Linux 5.13, or a SIGTRAP of the program's is pending).
 * Context: init, after unwind_start. */
int cost_trial_run(bool kernel, siginfo_sigaction *set_action, struct cost_trial *trial);

#endif
