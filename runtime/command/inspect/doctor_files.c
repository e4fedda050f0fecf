/*
 * The texts of a finding, and the checks of files that are read or written besides the counters.
 */
#include <dlfcn.h>
#include <libunwind.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "runtime/command/base/kernel_access.h"
#include "runtime/command/base/paths.h"
#include "runtime/command/inspect/doctor.h"

#define MEMORY_DIRECTORY "/dev/shm"
#define TMPFS_NUMBER	 0x01021994 /* statfs(2) */
#define SPOOL_ROOM	 (64ULL << 20)
#define KPTR_RESTRICT	 "/proc/sys/kernel/kptr_restrict"
#define LINE_BYTES	 5120

void doctor_find(struct doctor_finding *finding, enum doctor_grade grade, const char *format, ...)
{
	va_list arguments;

	finding->grade = grade;
	va_start(arguments, format);
	vsnprintf(finding->text, sizeof(finding->text), format, arguments);
	va_end(arguments);
}

void doctor_advise(struct doctor_finding *finding, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(finding->remedy, sizeof(finding->remedy), format, arguments);
	va_end(arguments);
}

void doctor_kernel_names(struct doctor_finding *finding)
{
	long long restricted = kernel_limits_number(KPTR_RESTRICT, -1);
	char line[256];

	if (!kernel_limits_line("/proc/kallsyms", line, sizeof(line))) {
		doctor_find(finding, DOCTOR_LESS,
			    "/proc/kallsyms cannot be read: kernel frames are [kernel]");
		return;
	}
	if (strtoull(line, NULL, 16)) {
		doctor_find(finding, DOCTOR_GOOD, "/proc/kallsyms has addresses");
		return;
	}
	doctor_find(finding, DOCTOR_LESS,
		    "/proc/kallsyms hides addresses (kernel.kptr_restrict is %lld): kernel frames "
		    "are [kernel]",
		    restricted);
	doctor_advise(finding, restricted ? "sudo sysctl kernel.kptr_restrict=0"
					  : "sudo sysctl kernel.perf_event_paranoid=1");
}

void doctor_library(struct doctor_finding *finding)
{
	char path[LINE_BYTES], line[LINE_BYTES];

	if (!paths_library(path, sizeof(path), line, sizeof(line))) {
		doctor_find(finding, DOCTOR_GOOD, "%.380s", path);
		return;
	}
	doctor_find(finding, DOCTOR_BAD, "%.380s", line);
	doctor_advise(finding, "install libflametrap.so beside this program, or in its ../lib");
}

/* The version that the library opens in the target. */
#define TEXT_OF(name) #name
#define TEXT(name)    TEXT_OF(name)
#define LIBUNWIND     "libunwind-" TEXT(UNW_TARGET) ".so.8"

void doctor_libunwind(struct doctor_finding *finding)
{
	void *handle = dlopen(LIBUNWIND, RTLD_LAZY | RTLD_LOCAL);

	if (handle) {
		doctor_find(finding, DOCTOR_GOOD, LIBUNWIND " loads");
		dlclose(handle);
		return;
	}
	doctor_find(finding, DOCTOR_LESS,
		    LIBUNWIND " cannot be loaded: stacks are walked by frame pointers");
	doctor_advise(finding, "install libunwind8 (Debian, Ubuntu) or libunwind (Fedora, Arch)");
}

void doctor_spool(struct doctor_finding *finding)
{
	struct statfs shm;
	uint64_t room;

	if (statfs(MEMORY_DIRECTORY, &shm) || shm.f_type != TMPFS_NUMBER ||
	    access(MEMORY_DIRECTORY, W_OK)) {
		doctor_find(finding, DOCTOR_LESS,
			    MEMORY_DIRECTORY " is not a writable memory file system: spools are "
					     "written beside the output");
		return;
	}
	room = shm.f_bavail * (uint64_t)shm.f_bsize;
	doctor_find(finding, room < SPOOL_ROOM ? DOCTOR_LESS : DOCTOR_GOOD,
		    "%llu MB free in " MEMORY_DIRECTORY "; a process takes up to 64 MB (--memory)",
		    (unsigned long long)(room >> 20));
	if (room < SPOOL_ROOM)
		doctor_advise(
			finding,
			"FLAMETRAP_SPOOL=DIRECTORY, or mount -o remount,size=1G " MEMORY_DIRECTORY);
}
