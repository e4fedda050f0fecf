/*
 * Receives real overflow and timer signals: a counter that opens may still send none.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/command/base/kernel_access.h"
#include "runtime/command/inspect/doctor.h"

#define PERIOD_NS   100000
#define WANTED	    3
#define PATIENCE_NS 500000000ULL /* of our own CPU time; a timer tick may take 10 ms */

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static volatile sig_atomic_t arrived;

static void note(int signal)
{
	(void)signal;
	arrived = arrived + 1;
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Work until enough signals have arrived, or so much CPU time is used that none will come. */
static bool wait_for_signals(void)
{
	uint64_t until_ns = cpu_ns() + PATIENCE_NS;

	while (arrived < WANTED && cpu_ns() < until_ns)
		continue;
	return arrived >= WANTED;
}

static bool with_handler(int signal, bool (*act)(int argument), int argument)
{
	struct sigaction action = { .sa_handler = note }, old;
	sigset_t set, mask;
	bool done;

	arrived = 0;
	sigemptyset(&set);
	sigaddset(&set, signal);
	sigaction(signal, &action, &old);
	sigprocmask(SIG_UNBLOCK, &set, &mask);
	done = act(argument);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	sigaction(signal, &old, NULL);
	return done;
}

static bool count_overflows(int fd)
{
	bool arrives;

	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		return false;
	arrives = wait_for_signals();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return arrives;
}

void doctor_sigtrap(struct doctor_finding *finding)
{
	struct perf_event_attr attr;
	int fd;

	counter_probe_attr(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, PERIOD_NS);
	attr.exclude_kernel = attr.exclude_hv = 1;
	attr.sigtrap = attr.remove_on_exec = 1;
	attr.sig_data = 1;
	fd = counter_probe_open(&attr);
	if (fd == -EINVAL || fd == -E2BIG) {
		doctor_find(finding, DOCTOR_LESS,
			    "this kernel has no SIGTRAP on overflow: SIGIO is used instead, user "
			    "side only");
		doctor_advise(finding, "Linux 5.13 or newer");
		return;
	}
	if (fd < 0) {
		doctor_find(finding, DOCTOR_LESS, "counters do not open: timers are used instead");
		return;
	}
	if (with_handler(SIGTRAP, count_overflows, fd)) {
		doctor_find(finding, DOCTOR_GOOD, "overflows arrive as signals");
	} else {
		doctor_find(finding, DOCTOR_BAD, "the counter opens, but no overflow arrived");
		doctor_advise(
			finding,
			"a debugger may hold SIGTRAP; FLAMETRAP_NOTIFY=sigio works without it");
	}
	close(fd);
}

/* timer_create(2) itself: the C library's wrapper would start a thread. */
static int make_timer(int signal, int *timer)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = signal;
	event.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	return syscall(SYS_timer_create, CLOCK_THREAD_CPUTIME_ID, &event, timer) ? -errno : 0;
}

static bool count_ticks(int timer)
{
	const struct itimerspec every = { .it_interval.tv_nsec = PERIOD_NS,
					  .it_value.tv_nsec = PERIOD_NS };

	return !syscall(SYS_timer_settime, timer, 0, &every, NULL) && wait_for_signals();
}

void doctor_timers(struct doctor_finding *finding)
{
	int signal = SIGRTMAX - 1, timer, err = make_timer(signal, &timer);
	uint64_t from_ns = cpu_ns();

	if (err) {
		doctor_find(finding, DOCTOR_BAD, "timer_create is refused: %s", strerror(-err));
		doctor_advise(finding, "raise ulimit -i; each timer counts as a queued signal");
		return;
	}
	if (with_handler(signal, count_ticks, timer))
		doctor_find(finding, DOCTOR_GOOD,
			    "per-thread CPU timers work, about %u signals a second",
			    (unsigned)(WANTED * 1000000000ULL / (cpu_ns() - from_ns + 1)));
	else
		doctor_find(finding, DOCTOR_BAD, "the timer starts, but no signal arrived");
	syscall(SYS_timer_delete, timer);
}
