/*
 * A filter can only be tried.  A child does so, with arguments that no call accepts.  It has memory
 * of its own, because on older kernels a core dump of a process that shares ours would end us too,
 * and no exit signal.
 */
#include "preload/process/follow.h"

#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"

#define PAGE_BYTES 4096

/* Calls without which no line can be written (notice.h). */
static const long for_lines[] = {
	SYS_newfstatat,	   SYS_write,		SYS_rt_sigprocmask,    SYS_ppoll,
	SYS_rt_sigpending, SYS_rt_sigtimedwait, SYS_rt_tgsigqueueinfo,
};

/* Calls that a sandbox is likely to leave out. */
static const long tried[] = {
	SYS_perf_event_open, SYS_process_vm_readv,
	SYS_ioctl,	     SYS_timer_create,
	SYS_timer_settime,   SYS_timer_delete,
	SYS_rt_sigqueueinfo, SYS_sigaltstack,
	SYS_prctl,	     SYS_madvise,
	SYS_getrandom,	     SYS_statfs,
	SYS_ftruncate,	     SYS_getdents64,
	SYS_readlinkat,	     SYS_faccessat,
	SYS_prlimit64,	     SYS_getrusage,
	SYS_renameat2,	     SYS_unlinkat,
	SYS_close_range,     SYS_dup3,
	SYS_sched_yield,     SYS_futex,
	SYS_uname,	     SYS_fcntl,
	SYS_getsid,	     SYS_setitimer,
};

static bool kills_for_ptrace;

/* What the filter has allowed so far: the calls for a line, and those that sampling needs. */
enum allowed { ALLOWED_NOTHING, ALLOWED_LINES, ALLOWED_SAMPLING };

static void try_each(const long *numbers, size_t count)
{
	for (size_t i = 0; i < count; i++)
		sys_try(numbers[i]);
}

static void try_all(volatile enum allowed *allowed)
{
	const struct rlimit none = { 0, 0 };

	sys_set_rlimit(RLIMIT_CORE, &none);
	try_each(for_lines, sizeof(for_lines) / sizeof(for_lines[0]));
	*allowed = ALLOWED_LINES;
	try_each(tried, sizeof(tried) / sizeof(tried[0]));
	*allowed = ALLOWED_SAMPLING;
	sys_try(SYS_ptrace);
	sys_exit(0);
}

static bool lives(volatile enum allowed *allowed)
{
	pid_t child = sys_fork_silently();
	int status = 0;

	if (!child)
		try_all(allowed);
	if (child < 0)
		return true;
	return sys_wait(child, &status, (int)__WCLONE) ||
	       (WIFEXITED(status) && !WEXITSTATUS(status));
}

const char *sandbox_objection(void)
{
	volatile enum allowed *allowed;
	enum allowed most;
	bool lived;
	void *page;

	if (!proc_is_filtered())
		return NULL;
	if (proc_children_are_apart())
		return "the sandbox of this program (seccomp) cannot be tried, since its first "
		       "child is the first of a pid namespace";
	if (sys_mmap(&page, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1))
		return NULL;
	allowed = page;
	lived = lives(allowed);
	most = lived ? ALLOWED_SAMPLING : *allowed;
	kills_for_ptrace = !lived;
	sys_munmap(page, PAGE_BYTES);
	if (most == ALLOWED_SAMPLING)
		return NULL;
	if (most == ALLOWED_NOTHING)
		return "";
	return "the sandbox of this program (seccomp) would kill it for system calls that sampling "
	       "needs";
}

bool sandbox_forbids_tracing(void)
{
	return kills_for_ptrace;
}

static int is_valgrind_s(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	return info->dlpi_name && strstr(info->dlpi_name, "/vgpreload_") != NULL;
}

bool sandbox_is_simulated(void)
{
	return dl_iterate_phdr(is_valgrind_s, NULL) != 0;
}
