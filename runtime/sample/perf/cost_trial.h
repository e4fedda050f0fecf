/*
 * Measures the cost of one sample of a clock on this machine: the interrupt, the signal and the
 * walk.
 */
#ifndef RUNTIME_SAMPLE_PERF_COST_TRIAL_H
#define RUNTIME_SAMPLE_PERF_COST_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/perf/siginfo.h"

struct cost_trial {
	uint64_t cost_ns;   /* of the whole sample */
	uint64_t signal_ns; /* part of cost_ns: the kernel's part, for the signal */
};

/* Takes a few samples of task-clock in the calling thread, of user code or also of the `kernel`,
 * and stores their cost in *trial.  Takes about a millisecond.  SIGTRAP has our handler
 * meanwhile.  Returns 0, or -errno if the trial is not possible (before Linux 5.13, or a SIGTRAP
 * of the program is pending).  Context: init, after unwind_start. */
int cost_trial_run(bool kernel, siginfo_sigaction *set_action, struct cost_trial *trial);

#endif
