/*
 * Checks limits on the number of threads, the sampling rate and the stack depth.
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "config/settings/settings.h"
#include "runtime/command/base/kernel_access.h"
#include "runtime/command/inspect/doctor.h"

#define SYSCTL	      "/proc/sys/kernel/"
#define CAP_IPC_LOCK  14
#define RINGS_TRIED   64
#define PAGES_FULL    17 /* one control page and 16 pages of records: a ring with kernel side */
#define PAGES_LEAST   2
#define MLOCK_DEFAULT 516

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Map rings until the kernel's budget refuses one.  Returns how many could be mapped. */
static unsigned map_rings(void)
{
	void *ring[RINGS_TRIED];
	int fd[RINGS_TRIED];
	unsigned count = 0;

	for (; count < RINGS_TRIED; count++) {
		struct perf_event_attr attr;

		counter_probe_attr(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, 0);
		attr.exclude_kernel = attr.exclude_hv = 1;
		fd[count] = counter_probe_open(&attr);
		if (fd[count] < 0)
			break;
		ring[count] = mmap(NULL, PAGES_FULL * page_bytes(), PROT_READ | PROT_WRITE,
				   MAP_SHARED, fd[count], 0);
		if (ring[count] == MAP_FAILED) {
			close(fd[count]);
			break;
		}
	}
	for (unsigned i = 0; i < count; i++) {
		munmap(ring[i], PAGES_FULL * page_bytes());
		close(fd[i]);
	}
	return count;
}

/* The kernel's own formula (perf_mmap() in kernel/events/core.c): an amount per CPU and user, and
 * then RLIMIT_MEMLOCK of the process. */
void doctor_locked_memory(struct doctor_finding *finding)
{
	uint64_t mlock_kb =
		(uint64_t)kernel_limits_number(SYSCTL "perf_event_mlock_kb", MLOCK_DEFAULT);
	uint64_t cpus = (uint64_t)sysconf(_SC_NPROCESSORS_ONLN);
	int64_t paranoid = kernel_limits_paranoid();
	bool boundless = kernel_limits_capable(CAP_IPC_LOCK) ||
			 (paranoid < 0 && paranoid != PERF_PARANOID_ABSENT);
	struct rlimit limit = { 0 };
	unsigned fitted = map_rings();
	uint64_t budget;

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (boundless || limit.rlim_cur == RLIM_INFINITY) {
		doctor_find(finding, DOCTOR_GOOD, "no limit for this user (%u rings tried)",
			    fitted);
		return;
	}
	budget = (mlock_kb * 1024 * cpus + limit.rlim_cur) / page_bytes();
	doctor_find(
		finding, fitted ? DOCTOR_GOOD : DOCTOR_LESS,
		"kernel.perf_event_mlock_kb %llu on %llu CPUs and ulimit -l %llu kB: %llu threads "
		"with whole rings, %llu with the least; further ones are sampled by timers "
		"(%u rings tried)",
		(unsigned long long)mlock_kb, (unsigned long long)cpus,
		(unsigned long long)limit.rlim_cur / 1024,
		(unsigned long long)(budget / PAGES_FULL),
		(unsigned long long)(budget / PAGES_LEAST), fitted);
	doctor_advise(finding,
		      "for more: sudo sysctl kernel.perf_event_mlock_kb=%llu, or ulimit -l",
		      (unsigned long long)mlock_kb * 8);
}

void doctor_descriptors(struct doctor_finding *finding)
{
	struct rlimit limit = { 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	doctor_find(finding, limit.rlim_cur < 64 ? DOCTOR_LESS : DOCTOR_GOOD,
		    "ulimit -n is %llu; a thread needs one per counter while it starts, none later",
		    (unsigned long long)limit.rlim_cur);
	if (finding->grade != DOCTOR_GOOD)
		doctor_advise(finding, "ulimit -n 1024");
}

void doctor_sample_rate(struct doctor_finding *finding)
{
	int64_t rate = kernel_limits_number(SYSCTL "perf_event_max_sample_rate", 0);
	int64_t percent = kernel_limits_number(SYSCTL "perf_cpu_time_max_percent", 0);

	if (rate <= 0) {
		doctor_find(finding, DOCTOR_LESS,
			    "kernel.perf_event_max_sample_rate cannot be read");
		return;
	}
	doctor_find(
		finding, rate < SETTINGS_FREQUENCY ? DOCTOR_LESS : DOCTOR_GOOD,
		"up to %lld a second (kernel.perf_event_max_sample_rate); beyond it -F is lowered "
		"and -c throttled%s",
		(long long)rate,
		percent > 0 && percent < 100
			? "; the kernel lowers it when interrupts take too long"
			: "");
	if (rate < SETTINGS_FREQUENCY)
		doctor_advise(finding,
			      "sudo sysctl kernel.perf_event_max_sample_rate=100000, after "
			      "kernel.perf_cpu_time_max_percent=25");
}

void doctor_max_stack(struct doctor_finding *finding)
{
	int64_t frames = kernel_limits_number(SYSCTL "perf_event_max_stack", 0);

	doctor_find(
		finding, frames >= 64 ? DOCTOR_GOOD : DOCTOR_LESS,
		"%lld kernel frames a sample (kernel.perf_event_max_stack); user frames are ours, "
		"see --depth",
		(long long)frames);
	if (frames < 64)
		doctor_advise(finding, "sudo sysctl kernel.perf_event_max_stack=127");
}
