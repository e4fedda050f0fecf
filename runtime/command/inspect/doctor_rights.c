/*
 * Checks perf_event_open(2), by the settings that control it and by its results.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/command/base/kernel_access.h"
#include "runtime/command/inspect/doctor.h"
#include "runtime/command/inspect/events_list.h"

#define USER_ACCESS "/proc/sys/kernel/perf_user_access" /* on Arm */
#define PERIOD	    1000000

static void refuse(struct doctor_finding *finding, enum doctor_grade grade, const char *what,
		   int err)
{
	struct perf_error error = counter_probe_error(err);

	doctor_find(finding, grade, "%s: %s", what, error.cause);
	if (error.remedy)
		doctor_advise(finding, "%s", error.remedy);
}

void doctor_rights(struct doctor_finding *finding)
{
	int64_t paranoid = kernel_limits_paranoid();
	const char *who = kernel_limits_privileged() ? "overridden by CAP_PERFMON or CAP_SYS_ADMIN"
						     : "without CAP_PERFMON";

	if (paranoid == PERF_PARANOID_ABSENT) {
		doctor_find(finding, DOCTOR_BAD,
			    "kernel.perf_event_paranoid does not exist: no perf events");
		doctor_advise(finding, "a kernel with CONFIG_PERF_EVENTS");
		return;
	}
	doctor_find(finding, DOCTOR_GOOD, "kernel.perf_event_paranoid is %d, %s", (int)paranoid,
		    who);
	if (kernel_limits_privileged() || paranoid <= 1)
		return;
	finding->grade = paranoid > 2 ? DOCTOR_BAD : DOCTOR_LESS;
	doctor_advise(finding, "sudo sysctl kernel.perf_event_paranoid=1");
}

void doctor_seccomp(struct doctor_finding *finding)
{
	struct counter_probe probe;

	if (!kernel_limits_filtered()) {
		doctor_find(finding, DOCTOR_GOOD, "no filter in force");
		return;
	}
	probe = counter_probe_kind(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0);
	if (probe.err != -EPERM && probe.err != -ENOSYS) {
		doctor_find(finding, DOCTOR_GOOD,
			    "a filter is in force and allows perf_event_open");
		return;
	}
	doctor_find(finding, DOCTOR_LESS, "a filter is in force and refuses perf_event_open");
	doctor_advise(finding, "a container's: docker run --security-opt seccomp=PROFILE, one that "
			       "allows perf_event_open; or --cap-add PERFMON");
}

void doctor_counters(struct doctor_finding *finding)
{
	struct counter_probe probe =
		counter_probe_kind(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, PERIOD);

	if (probe.err)
		refuse(finding, DOCTOR_BAD, "task-clock does not open", probe.err);
	else
		doctor_find(finding, DOCTOR_GOOD, "task-clock opens");
}

void doctor_kernel_side(struct doctor_finding *finding)
{
	struct counter_probe probe =
		counter_probe_kind(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, PERIOD);

	if (!probe.err && probe.kernel) {
		doctor_find(finding, DOCTOR_GOOD,
			    "allowed: kernel frames, context-switches and tracepoints");
		return;
	}
	doctor_find(finding, probe.err ? DOCTOR_BAD : DOCTOR_LESS,
		    "refused: no kernel frames, no context-switches, cpu-migrations, tracepoints");
	if (!kernel_limits_filtered()) /* a filter refuses all of perf_event_open */
		doctor_advise(finding, "sudo sysctl kernel.perf_event_paranoid=1");
}

void doctor_pmu(struct doctor_finding *finding)
{
	struct counter_probe probe =
		counter_probe_kind(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, PERIOD);

	if (!probe.err) {
		doctor_find(finding, DOCTOR_GOOD, "cycles opens");
	} else if (probe.err == -ENOENT || probe.err == -ENODEV || probe.err == -EOPNOTSUPP) {
		doctor_find(finding, DOCTOR_LESS,
			    "none: cycles, instructions and cache events do not exist here");
		doctor_advise(finding, "a virtual machine has one if its host passes it on (KVM: "
				       "-cpu host,pmu=on); -e task-clock works without one");
	} else {
		refuse(finding, DOCTOR_LESS, "cycles does not open", probe.err);
	}
}

/* The control page of a counter says whether user code may read it, perf_event_open(2). */
void doctor_user_reads(struct doctor_finding *finding)
{
	struct perf_event_mmap_page *page;
	struct perf_event_attr attr;
	bool offered;
	int fd;

	counter_probe_attr(&attr, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0);
	attr.exclude_kernel = attr.exclude_hv = 1;
	attr.disabled = 0;
	if (!access(USER_ACCESS, F_OK))
		attr.config1 = 2; /* requested for each event: Documentation/arch/arm64/perf.rst */
	fd = counter_probe_open(&attr);
	if (fd < 0) {
		doctor_find(finding, DOCTOR_LESS,
			    "not here: totals at a thread's end are those of its last record");
		return;
	}
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	offered = page != MAP_FAILED && page->cap_user_rdpmc;
	doctor_find(finding, offered ? DOCTOR_GOOD : DOCTOR_LESS,
		    offered ? "offered: totals at a thread's end are exact"
			    : "refused: totals at a thread's end are those of its last record");
	if (!offered)
		doctor_advise(finding, access(USER_ACCESS, F_OK)
					       ? "echo 1 > /sys/bus/event_source/devices/cpu/rdpmc"
					       : "sudo sysctl kernel.perf_user_access=1");
	if (page != MAP_FAILED)
		munmap(page, (size_t)sysconf(_SC_PAGESIZE));
	close(fd);
}

void doctor_tracepoints(struct doctor_finding *finding)
{
	char line[256];
	bool any = events_list_tracepoint_summary(line, sizeof(line));

	doctor_find(finding, any ? DOCTOR_GOOD : DOCTOR_LESS, "%s", line);
	if (!any)
		doctor_advise(finding,
			      geteuid() ? "sudo mount -o remount,mode=755 /sys/kernel/tracing"
					: "mount -t tracefs tracefs /sys/kernel/tracing");
}
