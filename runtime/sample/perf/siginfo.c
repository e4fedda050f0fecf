/*
 * The fields are read at their offsets in the kernel's structure, because the C library's structure
 * may not have them.
 */
#include "runtime/sample/perf/siginfo.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stddef.h>
#include <string.h>

#include "runtime/sample/sys/sys.h"

#define TRAP_PERF_CODE	  6  /* TRAP_PERF */
#define TRAP_PERF_ASYNC	  1u /* TRAP_PERF_FLAG_ASYNC */
#define PERF_DATA_OFFSET  24 /* _sigfault._perf._data, on 64-bit */
#define PERF_FLAGS_OFFSET 36

/* A signal from a file carries no cookie.  There is no other sender: the signal number was free. */
static bool is_overflow_of_file(const siginfo_t *info)
{
	return info->si_signo != SIGTRAP && (info->si_code == POLL_IN || info->si_code == POLL_HUP);
}

bool siginfo_is_ours(const siginfo_t *info)
{
	uint64_t cookie;

	if (siginfo_periods(info))
		return true;
	memcpy(&cookie, (const char *)info + PERF_DATA_OFFSET, sizeof(cookie));
	return (info->si_signo == SIGTRAP && info->si_code == TRAP_PERF_CODE &&
		cookie == SIGINFO_COOKIE) ||
	       is_overflow_of_file(info);
}

uint64_t siginfo_periods(const siginfo_t *info)
{
	if (info->si_code != SI_TIMER || (uint64_t)info->si_value.sival_ptr != SIGINFO_COOKIE)
		return 0;
	return 1 + (uint64_t)info->si_overrun;
}

bool siginfo_stopped(const siginfo_t *info)
{
	return is_overflow_of_file(info) && info->si_code == POLL_HUP;
}

bool siginfo_is_synchronous(const siginfo_t *info, const ucontext_t *context)
{
	if (info->si_signo != SIGTRAP || info->si_code <= 0 || info->si_code == TRAP_PERF_CODE)
		return false;
	return info->si_code == SI_KERNEL ||
	       (uint64_t)(uintptr_t)info->si_addr == siginfo_pc(context);
}

bool siginfo_is_to_thread(const siginfo_t *info)
{
	return info->si_code == SI_TKILL || (info->si_signo == SIGTRAP && info->si_code > 0);
}

bool siginfo_deferred(const siginfo_t *info)
{
	uint32_t flags;

	memcpy(&flags, (const char *)info + PERF_FLAGS_OFFSET, sizeof(flags));
	return info->si_code == TRAP_PERF_CODE && flags & TRAP_PERF_ASYNC;
}

/* The event ends when its descriptor is closed, or when exec(2) replaces the program: the signal
 * would kill the new image. */
int sigtrap_trial_open(struct perf_event_attr *attr)
{
	attr->type = PERF_TYPE_SOFTWARE;
	attr->size = sizeof(*attr);
	attr->sigtrap = attr->remove_on_exec = 1;
	attr->sig_data = SIGINFO_COOKIE;
	return sys_perf_event_open(attr, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

int sigtrap_trial_run(siginfo_sigaction *set_action, const struct sigaction *ours,
		      void (*run)(void *context), void *context)
{
	uint64_t trap = SIGTRAP_TRIAL_BIT, mask;
	struct sigaction theirs;

	if (set_action(SIGTRAP, ours, &theirs))
		return -errno;
	sys_sigmask(SIG_UNBLOCK, &trap, &mask);
	run(context);
	sys_sigmask(SIG_SETMASK, &mask, NULL);
	set_action(SIGTRAP, &theirs, NULL);
	return 0;
}
