/*
 * The choice leaves a rung only for a reason that the next rung does not share.  SIGIO follows an
 * unknown form of event (EINVAL, E2BIG: Linux before 5.13).  The timer follows any refusal.
 */
#include "runtime/sample/perf/engine.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "config/settings/settings.h"
#include "runtime/sample/perf/clock.h"
#include "runtime/sample/perf/eintr_trial.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/perf/plan_make.h"

/* Returns a real-time signal with the default action, which the program most likely does not
 * use.  The search starts at the top, because programs count from the bottom. */
static int free_signal(const struct settings *settings, siginfo_sigaction *set_action)
{
	struct sigaction action;

	if (settings->signal)
		return settings->signal;
	for (int signal = SIGRTMAX - 1; signal > SIGRTMIN; signal--)
		if (!set_action(signal, NULL, &action) && !(action.sa_flags & SA_SIGINFO) &&
		    action.sa_handler == SIG_DFL)
			return signal;
	return SIGPROF;
}

static bool worth_sigio(int err)
{
	return err == -EINVAL || err == -E2BIG;
}

static bool time_will_do(const struct events *events)
{
	for (unsigned i = 0; i < events->count; i++)
		if (events_time_will_do(&events->event[i]))
			return true;
	return false;
}

/* Without permission, system call or descriptor, time can still be sampled.  But time never
 * replaces a counter that the user asked for and this machine does not have. */
static bool worth_timer(const struct settings *settings, int err)
{
	if (settings->notify != SETTINGS_NOTIFY_TIMER && !time_will_do(&settings->events))
		return false;
	return settings->notify == SETTINGS_NOTIFY_TIMER || settings->events.defaulted ||
	       err == -EACCES || err == -EPERM || err == -ENOSYS || err == -EMFILE ||
	       err == -ENFILE || err == -ENOMEM;
}

static int try_timer(int signal)
{
	int timer;
	int err = clock_open(&timer, signal, CLOCK_THREAD_CPUTIME_ID,
			     3600ULL * 1000000000); /* too long to expire during the test */

	if (!err)
		clock_close(&timer);
	return err;
}

/* Kernel-side samples that nobody asked for must not disturb the program. */
static void spare_calls(struct plan *plan, const struct settings *settings,
			siginfo_sigaction *set_action)
{
	if (settings->kernel == SETTINGS_KERNEL_AUTO && plan_kernel_by_default(plan) &&
	    eintr_trial(set_action))
		plan_spare(plan);
}

int engine_choose(struct plan *plan, const struct settings *settings, const char *executable,
		  siginfo_sigaction *set_action, int *signal)
{
	enum settings_notify notify = settings->notify;
	bool any = notify == SETTINGS_NOTIFY_AUTO;
	int err = -EINVAL, timer_err;

	*signal = SIGTRAP;
	if (any || notify == SETTINGS_NOTIFY_SIGTRAP)
		err = plan_counters(plan, settings, executable, SPOOL_ENGINE_SIGTRAP);
	if (!err)
		spare_calls(plan, settings, set_action);
	if (!err || notify == SETTINGS_NOTIFY_SIGTRAP)
		return err;
	*signal = free_signal(settings, set_action);
	if (notify == SETTINGS_NOTIFY_SIGIO || (any && worth_sigio(err)))
		err = plan_counters(plan, settings, executable, SPOOL_ENGINE_SIGIO);
	if (!err || notify == SETTINGS_NOTIFY_SIGIO || !worth_timer(settings, err))
		return err;
	timer_err = try_timer(*signal);
	if (timer_err)
		return any ? err : timer_err;
	plan_timer(plan, settings);
	return 0;
}
