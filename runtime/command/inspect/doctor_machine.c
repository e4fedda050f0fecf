/*
 * The texts of a finding, and the checks of this machine besides its counters: resources, and files
 * in their places.
 */
#include "runtime/command/inspect/doctor.h"

#include <dlfcn.h>
#include <libunwind.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "config/settings/settings.h"
#include "runtime/command/base/kernel_access.h"
#include "runtime/command/base/paths.h"

#define SYSCTL	      "/proc/sys/kernel/"
#define CAP_IPC_LOCK  14
#define RINGS_TRIED   64
#define PAGES_FULL    17 /* one control page and 16 pages of records: a ring with kernel side */
#define PAGES_LEAST   2
#define MLOCK_DEFAULT 516

#define MEMORY_DIRECTORY "/dev/shm"
#define TMPFS_NUMBER	 0x01021994 /* statfs(2) */
#define SPOOL_ROOM	 (64ULL << 20)
#define LINE_BYTES	 5120

void doctor_find(struct doctor_finding *finding, enum doctor_grade grade, const char *remedy,
		 const char *format, ...)
{
	va_list arguments;

	finding->grade = grade;
	snprintf(finding->remedy, sizeof(finding->remedy), "%s", remedy ? remedy : "");
	va_start(arguments, format);
	vsnprintf(finding->text, sizeof(finding->text), format, arguments);
	va_end(arguments);
}

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
	char remedy[128];

	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (boundless || limit.rlim_cur == RLIM_INFINITY) {
		doctor_find(finding, DOCTOR_GOOD, NULL, "no limit for this user (%u rings tried)",
			    fitted);
		return;
	}
	budget = (mlock_kb * 1024 * cpus + limit.rlim_cur) / page_bytes();
	snprintf(remedy, sizeof(remedy),
		 "for more: sudo sysctl kernel.perf_event_mlock_kb=%llu, or ulimit -l",
		 (unsigned long long)mlock_kb * 8);
	doctor_find(
		finding, fitted ? DOCTOR_GOOD : DOCTOR_LESS, remedy,
		"kernel.perf_event_mlock_kb %llu on %llu CPUs and ulimit -l %llu kB: %llu threads "
		"with whole rings, %llu with the least; further ones are sampled by timers "
		"(%u rings tried)",
		(unsigned long long)mlock_kb, (unsigned long long)cpus,
		(unsigned long long)limit.rlim_cur / 1024,
		(unsigned long long)(budget / PAGES_FULL),
		(unsigned long long)(budget / PAGES_LEAST), fitted);
}

void doctor_descriptors(struct doctor_finding *finding)
{
	struct rlimit limit = { 0 };
	bool few;

	getrlimit(RLIMIT_NOFILE, &limit);
	few = limit.rlim_cur < 64;
	doctor_find(finding, few ? DOCTOR_LESS : DOCTOR_GOOD, few ? "ulimit -n 1024" : NULL,
		    "ulimit -n is %llu; a thread needs one per counter while it starts, none later",
		    (unsigned long long)limit.rlim_cur);
}

void doctor_sample_rate(struct doctor_finding *finding)
{
	int64_t rate = kernel_limits_number(SYSCTL "perf_event_max_sample_rate", 0);
	int64_t percent = kernel_limits_number(SYSCTL "perf_cpu_time_max_percent", 0);
	bool low = rate < SETTINGS_FREQUENCY;

	if (rate <= 0)
		doctor_find(finding, DOCTOR_LESS, NULL,
			    "kernel.perf_event_max_sample_rate cannot be read");
	else
		doctor_find(finding, low ? DOCTOR_LESS : DOCTOR_GOOD,
			    low ? "sudo sysctl kernel.perf_event_max_sample_rate=100000, after "
				  "kernel.perf_cpu_time_max_percent=25"
				: NULL,
			    "up to %lld a second (kernel.perf_event_max_sample_rate); beyond it -F "
			    "is lowered and -c throttled%s",
			    (long long)rate,
			    percent > 0 && percent < 100
				    ? "; the kernel lowers it when interrupts take too long"
				    : "");
}

void doctor_max_stack(struct doctor_finding *finding)
{
	int64_t frames = kernel_limits_number(SYSCTL "perf_event_max_stack", 0);
	bool few = frames < 64;

	doctor_find(finding, few ? DOCTOR_LESS : DOCTOR_GOOD,
		    few ? "sudo sysctl kernel.perf_event_max_stack=127" : NULL,
		    "%lld kernel frames a sample (kernel.perf_event_max_stack); user frames are "
		    "ours, see --depth",
		    (long long)frames);
}

void doctor_kernel_names(struct doctor_finding *finding)
{
	long long restricted = kernel_limits_number(SYSCTL "kptr_restrict", -1);
	char line[256];

	if (!kernel_limits_line("/proc/kallsyms", line, sizeof(line)))
		doctor_find(finding, DOCTOR_LESS, NULL,
			    "/proc/kallsyms cannot be read: kernel frames are [kernel]");
	else if (strtoull(line, NULL, 16))
		doctor_find(finding, DOCTOR_GOOD, NULL, "/proc/kallsyms has addresses");
	else
		doctor_find(finding, DOCTOR_LESS,
			    restricted ? "sudo sysctl kernel.kptr_restrict=0"
				       : "sudo sysctl kernel.perf_event_paranoid=1",
			    "/proc/kallsyms hides addresses (kernel.kptr_restrict is %lld): kernel "
			    "frames are [kernel]",
			    restricted);
}

void doctor_library(struct doctor_finding *finding)
{
	char path[LINE_BYTES], line[LINE_BYTES];

	if (!paths_library(path, sizeof(path), line, sizeof(line)))
		doctor_find(finding, DOCTOR_GOOD, NULL, "%.380s", path);
	else
		doctor_find(finding, DOCTOR_BAD,
			    "install libflametrap.so beside this program, or in its ../lib",
			    "%.380s", line);
}

/* The version that the library opens in the target. */
#define TEXT_OF(name) #name
#define TEXT(name)    TEXT_OF(name)
#define LIBUNWIND     "libunwind-" TEXT(UNW_TARGET) ".so.8"

void doctor_libunwind(struct doctor_finding *finding)
{
	void *handle = dlopen(LIBUNWIND, RTLD_LAZY | RTLD_LOCAL);

	if (!handle) {
		doctor_find(finding, DOCTOR_LESS,
			    "install libunwind8 (Debian, Ubuntu) or libunwind (Fedora, Arch)",
			    LIBUNWIND " cannot be loaded: stacks are walked by frame pointers");
		return;
	}
	doctor_find(finding, DOCTOR_GOOD, NULL, LIBUNWIND " loads");
	dlclose(handle);
}

void doctor_spool(struct doctor_finding *finding)
{
	struct statfs shm;
	uint64_t room;
	bool little;

	if (statfs(MEMORY_DIRECTORY, &shm) || shm.f_type != TMPFS_NUMBER ||
	    access(MEMORY_DIRECTORY, W_OK)) {
		doctor_find(finding, DOCTOR_LESS, NULL,
			    MEMORY_DIRECTORY " is not a writable memory file system: spools are "
					     "written beside the output");
		return;
	}
	room = shm.f_bavail * (uint64_t)shm.f_bsize;
	little = room < SPOOL_ROOM;
	doctor_find(
		finding, little ? DOCTOR_LESS : DOCTOR_GOOD,
		little ? "FLAMETRAP_SPOOL=DIRECTORY, or mount -o remount,size=1G " MEMORY_DIRECTORY
		       : NULL,
		"%llu MB free in " MEMORY_DIRECTORY "; a process takes up to 64 MB (--memory)",
		(unsigned long long)(room >> 20));
}
