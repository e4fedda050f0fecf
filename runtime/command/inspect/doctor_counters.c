/*
 * Checks perf_event_open(2), by the settings that control it and by its results.  Overflow and
 * timer signals are really received: a counter that opens may still send none.
 */
#include "runtime/command/inspect/doctor.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "runtime/command/base/kernel_access.h"
#include "runtime/command/inspect/events_list.h"

#define USER_ACCESS "/proc/sys/kernel/perf_user_access" /* on Arm */
#define PARANOID_1  "sudo sysctl kernel.perf_event_paranoid=1"
#define PERIOD	    1000000
#define PERIOD_NS   100000
#define WANTED	    3
#define PATIENCE_NS 500000000ULL /* of our own CPU time; a timer tick may take 10 ms */

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

static void refuse(struct doctor_finding *finding, enum doctor_grade grade, const char *what,
		   int err)
{
	struct perf_error error = counter_probe_error(err);

	doctor_find(finding, grade, error.remedy, "%s: %s", what, error.cause);
}

void doctor_rights(struct doctor_finding *finding)
{
	bool privileged = kernel_limits_privileged();
	int64_t paranoid = kernel_limits_paranoid();
	bool free = privileged || paranoid <= 1;

	if (paranoid == PERF_PARANOID_ABSENT)
		doctor_find(finding, DOCTOR_BAD, "a kernel with CONFIG_PERF_EVENTS",
			    "kernel.perf_event_paranoid does not exist: no perf events");
	else
		doctor_find(finding,
			    free	   ? DOCTOR_GOOD
			    : paranoid > 2 ? DOCTOR_BAD
					   : DOCTOR_LESS,
			    free ? NULL : PARANOID_1, "kernel.perf_event_paranoid is %d, %s",
			    (int)paranoid,
			    privileged ? "overridden by CAP_PERFMON or CAP_SYS_ADMIN"
				       : "without CAP_PERFMON");
}

void doctor_seccomp(struct doctor_finding *finding)
{
	struct counter_probe probe = { 0 };

	if (!kernel_limits_filtered()) {
		doctor_find(finding, DOCTOR_GOOD, NULL, "no filter in force");
		return;
	}
	probe = counter_probe_kind(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0);
	if (probe.err != -EPERM && probe.err != -ENOSYS)
		doctor_find(finding, DOCTOR_GOOD, NULL,
			    "a filter is in force and allows perf_event_open");
	else
		doctor_find(finding, DOCTOR_LESS,
			    "a container's: docker run --security-opt seccomp=PROFILE, one that "
			    "allows perf_event_open; or --cap-add PERFMON",
			    "a filter is in force and refuses perf_event_open");
}

void doctor_counters(struct doctor_finding *finding)
{
	struct counter_probe probe =
		counter_probe_kind(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, PERIOD);

	if (probe.err)
		refuse(finding, DOCTOR_BAD, "task-clock does not open", probe.err);
	else
		doctor_find(finding, DOCTOR_GOOD, NULL, "task-clock opens");
}

void doctor_kernel_side(struct doctor_finding *finding)
{
	struct counter_probe probe =
		counter_probe_kind(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, PERIOD);

	if (!probe.err && probe.kernel)
		doctor_find(finding, DOCTOR_GOOD, NULL,
			    "allowed: kernel frames, context-switches and tracepoints");
	else /* a filter refuses all of perf_event_open */
		doctor_find(finding, probe.err ? DOCTOR_BAD : DOCTOR_LESS,
			    kernel_limits_filtered() ? NULL : PARANOID_1,
			    "refused: no kernel frames, no context-switches, cpu-migrations, "
			    "tracepoints");
}

void doctor_pmu(struct doctor_finding *finding)
{
	struct counter_probe probe =
		counter_probe_kind(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERIOD);

	if (!probe.err)
		doctor_find(finding, DOCTOR_GOOD, NULL, "cycles opens");
	else if (probe.err == -ENOENT || probe.err == -ENODEV || probe.err == -EOPNOTSUPP)
		doctor_find(finding, DOCTOR_LESS,
			    "a virtual machine has one if its host passes it on (KVM: -cpu "
			    "host,pmu=on); -e task-clock works without one",
			    "none: cycles, instructions and cache events do not exist here");
	else
		refuse(finding, DOCTOR_LESS, "cycles does not open", probe.err);
}

/* The control page of a counter says whether user code may read it, perf_event_open(2). */
void doctor_user_reads(struct doctor_finding *finding)
{
	size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	bool arm = !access(USER_ACCESS, F_OK);
	struct perf_event_mmap_page *page;
	struct perf_event_attr attr;
	int fd;

	counter_probe_attr(&attr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0);
	attr.exclude_kernel = attr.exclude_hv = 1;
	attr.disabled = 0;
	if (arm)
		attr.config1 = 2; /* requested for each event: Documentation/arch/arm64/perf.rst */
	fd = counter_probe_open(&attr);
	if (fd < 0) {
		doctor_find(finding, DOCTOR_LESS, NULL,
			    "not here: totals at a thread's end are those of its last record");
		return;
	}
	page = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	if (page != MAP_FAILED && page->cap_user_rdpmc)
		doctor_find(finding, DOCTOR_GOOD, NULL,
			    "offered: totals at a thread's end are exact");
	else
		doctor_find(finding, DOCTOR_LESS,
			    arm ? "sudo sysctl kernel.perf_user_access=1"
				: "echo 1 > /sys/bus/event_source/devices/cpu/rdpmc",
			    "refused: totals at a thread's end are those of its last record");
	if (page != MAP_FAILED)
		munmap(page, bytes);
	close(fd);
}

void doctor_tracepoints(struct doctor_finding *finding)
{
	char line[256];
	bool any = events_list_tracepoint_summary(line, sizeof(line));

	doctor_find(finding, any ? DOCTOR_GOOD : DOCTOR_LESS,
		    any		? NULL
		    : geteuid() ? "sudo mount -o remount,mode=755 /sys/kernel/tracing"
				: "mount -t tracefs tracefs /sys/kernel/tracing",
		    "%s", line);
}

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
	if (fd == -EINVAL || fd == -E2BIG)
		doctor_find(finding, DOCTOR_LESS, "Linux 5.13 or newer",
			    "this kernel has no SIGTRAP on overflow: SIGIO is used instead, user "
			    "side only");
	else if (fd < 0)
		doctor_find(finding, DOCTOR_LESS, NULL,
			    "counters do not open: timers are used instead");
	else if (with_handler(SIGTRAP, count_overflows, fd))
		doctor_find(finding, DOCTOR_GOOD, NULL, "overflows arrive as signals");
	else
		doctor_find(finding, DOCTOR_BAD,
			    "a debugger may hold SIGTRAP; FLAMETRAP_NOTIFY=sigio works without it",
			    "the counter opens, but no overflow arrived");
	if (fd >= 0)
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
		doctor_find(finding, DOCTOR_BAD,
			    "raise ulimit -i; each timer counts as a queued signal",
			    "timer_create is refused: %s", strerror(-err));
		return;
	}
	if (with_handler(signal, count_ticks, timer))
		doctor_find(finding, DOCTOR_GOOD, NULL,
			    "per-thread CPU timers work, about %u signals a second",
			    (unsigned)(WANTED * 1000000000ULL / (cpu_ns() - from_ns + 1)));
	else
		doctor_find(finding, DOCTOR_BAD, NULL, "the timer starts, but no signal arrived");
	syscall(SYS_timer_delete, timer);
}
