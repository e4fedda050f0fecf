/*
 * What the kernel says with SIGTRAP about a perf event (Linux 5.13, asm-generic/siginfo.h);
 * glibc's siginfo_t has no names for it yet.
 */
#ifndef RUNTIME_SAMPLE_PERF_SIGINFO_H
#define RUNTIME_SAMPLE_PERF_SIGINFO_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* Marks our overflows and tells them from others: perf_event_attr.sig_data, sigev_value. */
#define SIGINFO_COOKIE 0x70617274656d616cULL

/* libc's sigaction(2), past whatever has taken its name. */
typedef int siginfo_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

/* Sent by an event or a timer that carries our cookie, or by a file of ours. */
bool siginfo_is_ours(const siginfo_t *info);

/* Sent by our timer: how many periods it stands for; 0: it was none of our timers. */
uint64_t siginfo_periods(const siginfo_t *info);

/* True if the thread's own instruction raised the signal (a breakpoint, a single step).  The kernel
 * does not let such signals be ignored or blocked.  A child's end, which any signal may report, or
 * a signal that a thread queues for itself may have the same code, but not the address.  Context:
 * signal. */
bool siginfo_is_synchronous(const siginfo_t *info, const ucontext_t *context);

/* Meant for the thread alone; otherwise any thread of the process may take it.  Of what
 * pthread_sigqueue(3) sent this cannot be told.  Context: any. */
bool siginfo_is_to_thread(const siginfo_t *info);

/* Delivered late, since the target had blocked the signal (Linux 5.19).  Context: signal. */
bool siginfo_deferred(const siginfo_t *info);

/* A counter of ours took its last sample and stopped itself (PERF_EVENT_IOC_REFRESH).
 * Context: signal. */
bool siginfo_stopped(const siginfo_t *info);

/* Does a watchpoint's signal come when the access is done, and show the instruction behind it (the
 * debug exceptions of x86), or before (Arm)?  Context: any. */
bool siginfo_is_after_access(void);

/* Where the thread was interrupted, and its stack pointer.  Context: signal. */
uint64_t siginfo_pc(const ucontext_t *context);
uint64_t siginfo_sp(const ucontext_t *context);

#endif
