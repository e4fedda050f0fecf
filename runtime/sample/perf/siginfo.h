/*
 * The kernel's information in SIGTRAP about a perf event (Linux 5.13, asm-generic/siginfo.h).
 * glibc's siginfo_t has no names for these fields yet.
 */
#ifndef RUNTIME_SAMPLE_PERF_SIGINFO_H
#define RUNTIME_SAMPLE_PERF_SIGINFO_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

struct perf_event_attr;

/* Marks our overflows: the value of perf_event_attr.sig_data and of a timer's sigev_value. */
#define SIGINFO_COOKIE 0x70617274656d616cULL

/* libc's own sigaction(2), not an interposed function of that name. */
typedef int siginfo_sigaction(int signal, const struct sigaction *action, struct sigaction *old);

/* True if the signal was sent by an event or a timer that carries our cookie, or by a file of
 * ours. */
bool siginfo_is_ours(const siginfo_t *info);

/* Returns how many periods a signal of our timer stands for, or 0 for any other signal. */
uint64_t siginfo_periods(const siginfo_t *info);

/* True if the thread's own instruction raised the signal (a breakpoint, a single step).  The
 * kernel does not let such signals be ignored or blocked.  Two other signals may have the same
 * code, but not the address: one that reports the end of a child, and one that a thread queues
 * for itself.  Context: signal. */
bool siginfo_is_synchronous(const siginfo_t *info, const ucontext_t *context);

/* True if the signal was sent to this thread.  A signal to the process may be taken by any of
 * its threads.  A signal sent by pthread_sigqueue(3) cannot be told from one to the process.
 * Context: any. */
bool siginfo_is_to_thread(const siginfo_t *info);

/* True if the signal was delivered late because the target had blocked it (Linux 5.19).
 * Context: signal. */
bool siginfo_deferred(const siginfo_t *info);

/* True if a counter of ours took its last sample and stopped itself (PERF_EVENT_IOC_REFRESH).
 * Context: signal. */
bool siginfo_stopped(const siginfo_t *info);

/* True if a watchpoint's signal comes after the access and shows the next instruction (the debug
 * exceptions of x86); false if it comes before the access (Arm).  Context: any. */
bool siginfo_is_after_access(void);

/* True if the kernel sends a CPU timer's signal when the thread is about to return to user code
 * (POSIX_CPU_TIMERS_TASK_WORK).  Then the signal interrupts no system call.  Context: any. */
bool siginfo_timer_is_gentle(void);

/* Return the address at which the thread was interrupted, and its stack pointer.  Context:
 * signal. */
uint64_t siginfo_pc(const ucontext_t *context);
uint64_t siginfo_sp(const ucontext_t *context);

#define SIGTRAP_TRIAL_BIT (1ULL << (SIGTRAP - 1)) /* in a signal mask */

/* For a trial on the calling thread: opens the software event attr->config, with the period and
 * exclusions of *attr, whose rest it fills in.  Each overflow sends SIGTRAP with our cookie.
 * Returns the descriptor or -errno (-EINVAL or -E2BIG before Linux 5.13).  Context: init. */
int sigtrap_trial_open(struct perf_event_attr *attr);

/* Calls run(context) while SIGTRAP has the action `ours` and is not blocked.  Afterwards it
 * restores the action and the mask.  Returns 0, or -errno without the call.  Context: init. */
int sigtrap_trial_run(siginfo_sigaction *set_action, const struct sigaction *ours,
		      void (*run)(void *context), void *context);

#endif
