/*
 * A filter cannot be read, only tried.  A child of its own tries it, with arguments that no call
 * accepts.  The child has memory of its own, because on older kernels a core dump of a process
 * that shares ours would end us too.  It has no exit signal.
 */
#include "preload/process/sandbox.h"

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

/* Calls that a sandbox is likely to leave out. */
static const long tried[] = {
	SYS_perf_event_open, SYS_process_vm_readv, SYS_ioctl,		SYS_timer_create,
	SYS_timer_settime,   SYS_timer_delete,	   SYS_rt_sigtimedwait, SYS_rt_tgsigqueueinfo,
	SYS_rt_sigqueueinfo, SYS_sigaltstack,	   SYS_prctl,		SYS_madvise,
	SYS_getrandom,	     SYS_statfs,	   SYS_ftruncate,	SYS_getdents64,
	SYS_readlinkat,	     SYS_faccessat,	   SYS_prlimit64,	SYS_getrusage,
	SYS_renameat2,	     SYS_unlinkat,	   SYS_close_range,	SYS_dup3,
	SYS_ppoll,	     SYS_sched_yield,	   SYS_futex,		SYS_uname,
	SYS_fcntl,	     SYS_getsid,	   SYS_setitimer,
};

static bool kills_for_ptrace;

/* *allows becomes true when the filter has allowed the calls that sampling needs. */
static void try_all(volatile bool *allows)
{
	const struct rlimit none = { 0, 0 };

	sys_set_rlimit(RLIMIT_CORE, &none);
	for (size_t i = 0; i < sizeof(tried) / sizeof(tried[0]); i++)
		sys_try(tried[i]);
	*allows = true;
	sys_try(SYS_ptrace);
	sys_exit(0);
}

/* Try the filter in a child of our own.  Returns true if the child survived. */
static bool lives(volatile bool *allows)
{
	pid_t child = sys_fork_silently();
	int status = 0;

	if (!child)
		try_all(allows);
	if (child < 0)
		return true;
	return sys_wait(child, &status, (int)__WCLONE) ||
	       (WIFEXITED(status) && !WEXITSTATUS(status));
}

const char *sandbox_objection(void)
{
	volatile bool *allows;
	bool lived, may;
	void *page;

	if (!proc_is_filtered())
		return NULL;
	if (proc_children_are_apart())
		return "the sandbox of this program (seccomp) cannot be tried, since its first "
		       "child is the first of a pid namespace";
	if (sys_mmap(&page, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1))
		return NULL;
	allows = page;
	lived = lives(allows);
	may = lived || *allows;
	kills_for_ptrace = !lived;
	sys_munmap(page, PAGE_BYTES);
	if (may)
		return NULL;
	return "the sandbox of this program (seccomp) would kill it for system calls that sampling "
	       "needs";
}

bool sandbox_forbids_tracing(void)
{
	return kills_for_ptrace;
}

/* True for a library that valgrind preloads, with any tool. */
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
