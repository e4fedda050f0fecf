/*
 * The event ends when its descriptor is closed, or when exec(2) replaces the program: the signal
 * would kill the new image.
 */
#include "runtime/sample/perf/siginfo.h"

#include <errno.h>
#include <stddef.h>
#include <linux/perf_event.h>

#include "runtime/sample/sys/sys.h"

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
