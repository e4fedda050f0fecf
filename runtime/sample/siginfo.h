/*
 * What the kernel says with SIGTRAP about a perf event (Linux 5.13, asm-generic/siginfo.h);
 * glibc's siginfo_t has no names for it yet.
 */
#ifndef RUNTIME_SAMPLE_SIGINFO_H
#define RUNTIME_SAMPLE_SIGINFO_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* Sent by an event that carries our cookie.  Context: signal. */
bool siginfo_is_ours(const siginfo_t *info);

/* Delivered late, since the target had blocked the signal (Linux 5.19).  Context: signal. */
bool siginfo_deferred(const siginfo_t *info);

/* Where the thread was interrupted.  Context: signal. */
uint64_t siginfo_pc(const ucontext_t *context);

#endif
