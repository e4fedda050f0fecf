/*
 * Whether sampling the kernel side would be felt by the program.
 */
#ifndef RUNTIME_SAMPLE_PERF_EINTR_TRIAL_H
#define RUNTIME_SAMPLE_PERF_EINTR_TRIAL_H

#include <stdbool.h>

#include "runtime/sample/perf/siginfo.h"

/* Does SIGTRAP for an overflow taken in the kernel interrupt the call that it is taken in?  True
 * on Linux 5.13 to 6.10, which send the signal from the interrupt; later ones do so on the way
 * back (task work), where no call but io_uring_enter(2) sees it (syscall_restart.h).  Where uname
 * does not say 6.11 or later it is found by trying, on the calling thread, whose SIGTRAP is at a
 * handler of ours for that time.  False too where it cannot be tried. Context: init. */
bool eintr_trial(siginfo_sigaction *set_action);

#endif
