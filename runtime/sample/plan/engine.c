/*
 * The choice leaves a rung only for a reason that the next rung does not share.  SIGIO follows an
 * unknown form of event (EINVAL, E2BIG: Linux before 5.13).  The timer follows any refusal.
 *
 * Whether samples of the kernel side disturb the program is found out by a trial.
 * A kernel that reports release 6.11 or later needs no trial.  The reported release may be too old,
 * under setarch --uname-2.6 or with fixes backported to an older kernel, but not too new.  The
 * event of the trial makes the kernel rewrite its own code, which interrupts all processors.
 *
 * SIGTRAP belongs to the tracer of a process that is traced, which takes it for a breakpoint or the
 * end of exec.  And a program that sets actions by system calls of its own gets our signals in its
 * own handler, if it takes ours away.  Such processes are sampled by timers, unless the user asks
 * for sigtrap.
 *
 * The trial: a read of /dev/zero into fresh pages takes a page fault in the kernel for each page,
 * and checks for signals after each page (drivers/char/mem.c).  With an event on kernel-side faults
 * the read is short if the signal is already pending, and complete if it is not.
 */
#include "runtime/sample/plan/plan_make.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <linux/perf_event.h>

#include "config/events/known.h"
#include "config/settings/settings.h"
#include "runtime/sample/elf/raw_calls.h"
#include "runtime/sample/perf/clock.h"
#include "runtime/sample/perf/plan.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"

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
	       err == -EALREADY || err == -EDEADLK || err == -ELIBACC || err == -EACCES ||
	       err == -EPERM || err == -ENOSYS || err == -EMFILE || err == -ENFILE ||
	       err == -ENOMEM;
}

static int try_timer(int signal)
{
	const uint64_t long_ns = 3600ULL * 1000000000; /* it does not expire during the test */
	uint64_t rings_ns;
	int timer;
	int err = clock_open(&timer, &rings_ns, signal, CLOCK_THREAD_CPUTIME_ID, long_ns, long_ns);

	if (!err)
		clock_close(&timer);
	return err;
}

#define TRIAL_BYTES (4 * 4096)

static void on_trap(int signal)
{
	(void)signal;
}

static int open_faults(void)
{
	struct perf_event_attr attr = {
		.config = PERF_COUNT_SW_PAGE_FAULTS,
		.sample_period = 1,
		.exclude_user = 1,
	};

	return sigtrap_trial_open(&attr);
}

struct reading {
	int zero_fd;
	void *room;
	long bytes; /* returned by the read */
};

/* Leaves `bytes` unchanged if the event does not open. */
static void read_under_event(void *context)
{
	struct reading *reading = context;
	int fd = open_faults();

	if (fd < 0)
		return;
	reading->bytes = sys_read(reading->zero_fd, reading->room, TRIAL_BYTES);
	sys_close(fd);
}

/* True if SIGTRAP for an overflow taken in the kernel interrupts the system call in which it is
 * taken.  Linux 5.13 to 6.10 do this: they send the signal from the interrupt.  Later kernels send
 * it on the way back (task work), where only io_uring_enter(2) sees it (syscall_restart.h). SIGTRAP
 * has our handler meanwhile.  Returns false if the trial is not possible. */
static bool kernel_samples_interrupt(siginfo_sigaction *set_action)
{
	/* without SA_RESTART, so that -EINTR shows too */
	const struct sigaction ours = { .sa_handler = on_trap };
	struct reading reading = { .bytes = TRIAL_BYTES };

	if (proc_kernel_since(6, 11))
		return false;
	reading.zero_fd = sys_open("/dev/zero", O_RDONLY | O_CLOEXEC, 0);
	if (reading.zero_fd < 0)
		return false;
	if (!sys_mmap(&reading.room, TRIAL_BYTES, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1)) {
		sigtrap_trial_run(set_action, &ours, read_under_event, &reading);
		sys_munmap(reading.room, TRIAL_BYTES);
	}
	sys_close(reading.zero_fd);
	return reading.bytes != TRIAL_BYTES;
}

/* True if the counter counts both sides by default: neither :k nor a kernel-only event asks for
 * it. */
static bool kernel_by_default(const struct plan *plan, unsigned counter)
{
	const struct event *event = &plan->events.event[counter];

	return plan->available[counter] && !plan->attr[counter].exclude_kernel &&
	       event->type <= PERF_TYPE_RAW && !event->kernel_only && !event->off_cpu &&
	       !known_in_kernel(event->type, event->config);
}

static bool any_kernel_by_default(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->events.count; i++)
		if (kernel_by_default(plan, i))
			return true;
	return false;
}

/* Leaves the kernel side out of such counters.  `reason` is a clause for the profile. */
static void spare(struct plan *plan, const char *reason)
{
	bool kernel = false;

	for (unsigned i = 0; i < plan->events.count; i++) {
		if (kernel_by_default(plan, i))
			plan->attr[i].exclude_kernel = 1;
		kernel |= plan->available[i] && !plan->attr[i].exclude_kernel;
	}
	plan->spared = reason;
	if (kernel)
		return;
	plan->kernel = false;
	plan->ring_pages = PLAN_PAGES_USER_ONLY;
	plan->format.sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
	for (unsigned i = 0; i < plan->events.count; i++)
		plan->attr[i].sample_type &= ~(uint64_t)PERF_SAMPLE_CALLCHAIN;
}

static void spare_calls(struct plan *plan, const struct settings *settings,
			siginfo_sigaction *set_action, unsigned raw_calls)
{
	if (settings->kernel != SETTINGS_KERNEL_AUTO || !any_kernel_by_default(plan))
		return;
	if (raw_calls & RAW_CALLS_EXEC)
		spare(plan, "a sample there could end what the program executes by a system "
			    "call of its own");
	else if (kernel_samples_interrupt(set_action))
		spare(plan, "before Linux 6.11 its samples interrupt system calls");
}

static unsigned waits(const struct events *events)
{
	unsigned i = 0;

	while (i < events->count && !events->event[i].off_cpu)
		i++;
	return i;
}

/* Plans no counter if SIGTRAP is not to be used unless the user asks for it.  Returns 0, or a
 * reason of perf_errors.h. */
static int do_without_sigtrap(struct plan *plan, const struct settings *settings,
			      unsigned raw_calls)
{
	bool traced = proc_is_traced();
	unsigned event = traced ? waits(&settings->events) : settings->events.count;
	int err = 0;

	if (event < settings->events.count)
		err = -EDEADLK;
	else if (traced)
		err = -EALREADY;
	else if (raw_calls & RAW_CALLS_SIGNALS)
		err = -ELIBACC;
	if (err)
		plan_refuse(plan, settings, event < settings->events.count ? event : 0, err);
	return err;
}

/* Debuggers stop for real-time signals, but not for SIGPROF. */
static int signal_for(const struct settings *settings, siginfo_sigaction *set_action, int err)
{
	struct sigaction action;

	if ((err == -EALREADY || err == -EDEADLK) && !settings->signal &&
	    !set_action(SIGPROF, NULL, &action) && action.sa_handler == SIG_DFL)
		return SIGPROF;
	return free_signal(settings, set_action);
}

int engine_choose(struct plan *plan, const struct settings *settings, const char *executable,
		  siginfo_sigaction *set_action, int *signal)
{
	enum settings_notify notify = settings->notify;
	bool any = notify == SETTINGS_NOTIFY_AUTO;
	bool sigtrap = any || notify == SETTINGS_NOTIFY_SIGTRAP;
	unsigned raw_calls = sigtrap ? raw_calls_found() : 0;
	int err = any ? do_without_sigtrap(plan, settings, raw_calls) : 0, timer_err;

	*signal = SIGTRAP;
	if (!err)
		err = sigtrap ? plan_counters(plan, settings, executable, SPOOL_ENGINE_SIGTRAP)
			      : -EINVAL;
	if (!err)
		spare_calls(plan, settings, set_action, raw_calls);
	if (!err || notify == SETTINGS_NOTIFY_SIGTRAP)
		return err;
	*signal = signal_for(settings, set_action, err);
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
