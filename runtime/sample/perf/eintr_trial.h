/*
 * Finds out whether samples of the kernel side would disturb the program.
 */
#ifndef RUNTIME_SAMPLE_PERF_EINTR_TRIAL_H
#define RUNTIME_SAMPLE_PERF_EINTR_TRIAL_H

#include <stdbool.h>

#include "runtime/sample/perf/siginfo.h"

/* True if SIGTRAP for an overflow taken in the kernel interrupts the system call in which it is
 * taken.  Linux 5.13 to 6.10 do this: they send the signal from the interrupt.  Later kernels
 * send it on the way back (task work), where only io_uring_enter(2) sees it (syscall_restart.h).
 * If uname reports a release before 6.11, a trial on the calling thread decides; SIGTRAP has our
 * handler meanwhile.  Returns false if the trial is not possible.  Context: init. */
bool eintr_trial(siginfo_sigaction *set_action);

#endif
