/*
 * System calls by number, so that no function that the target (or its libraries) interposes is
 * called and no cancellation point is added to the target's code. errno is left alone.
 */
#include "runtime/sample/sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/kcmp.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <time.h>

#include "runtime/sample/sys/sys_make.h"
#include "runtime/sample/sys/thread_pointer.h"

#define APART_BYTES	    ((uintptr_t)1 << 36) /* a program must map this much to reach the range */
#define PAGE_MASK	    ((uintptr_t)4095)
#define KERNEL_SIGSET_BYTES 8 /* sizeof(sigset_t) of the kernel, rt_sigprocmask(2) */

static _Atomic bool quiet;
static _Atomic bool quiet_somewhere; /* a thread has been quiet: few processes have one */
static __thread bool quiet_here;

void sys_go_quiet(void)
{
	atomic_store_explicit(&quiet, true, memory_order_relaxed);
	thread_pointer_keep_quiet();
}

void sys_keep_quiet(bool silent)
{
	if (silent) {
		atomic_store_explicit(&quiet_somewhere, true, memory_order_relaxed);
		thread_pointer_keep_quiet();
	}
	quiet_here = silent;
}

bool sys_is_quiet(void)
{
	return atomic_load_explicit(&quiet_somewhere, memory_order_relaxed) &&
	       thread_pointer_is_known() && quiet_here;
}

long sys_make(long number, long a, long b, long c, long d, long e, long f)
{
	if ((atomic_load_explicit(&quiet, memory_order_relaxed) || sys_is_quiet()) &&
	    number != SYS_exit_group)
		return -EPERM;
	return sys_call(number, a, b, c, d, e, f);
}

void sys_try(long number)
{
	CALL(number, -1, -1, -1, -1, -1, -1);
}

int sys_open(const char *path, int flags, mode_t mode)
{
	return (int)CALL(SYS_openat, AT_FDCWD, path, flags, mode);
}

long sys_read(int fd, void *bytes, size_t size)
{
	return CALL(SYS_read, fd, bytes, size);
}

int sys_close(int fd)
{
	int err = (int)MAKE(SYS_close, fd);

	return (int)FAULT(SYS_close)
		       ?: err; /* the file is closed whatever the answer is: close(2) */
}

int sys_ftruncate(int fd, uint64_t bytes)
{
	return (int)CALL(SYS_ftruncate, fd, bytes);
}

int sys_unlink(const char *path)
{
	return (int)CALL(SYS_unlinkat, AT_FDCWD, path, 0);
}

int sys_rename_new(const char *from, const char *to)
{
	return (int)CALL(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int sys_access(const char *path, int mode)
{
	return (int)CALL(SYS_faccessat, AT_FDCWD, path, mode);
}

long sys_readlink(const char *path, char *target, size_t size)
{
	return CALL(SYS_readlinkat, AT_FDCWD, path, target, size);
}

long sys_getcwd(char *path, size_t size)
{
	return CALL(SYS_getcwd, path, size);
}

int sys_fstat(int fd, struct stat *stat)
{
	return (int)CALL(SYS_newfstatat, fd, "", stat, AT_EMPTY_PATH);
}

int sys_stat(const char *path, struct stat *stat)
{
	return (int)CALL(SYS_newfstatat, AT_FDCWD, path, stat, 0);
}

int sys_statfs(const char *path, struct statfs *statfs)
{
	return (int)CALL(SYS_statfs, path, statfs);
}

long sys_getdents(int fd, void *entries, size_t size)
{
	return CALL(SYS_getdents64, fd, entries, size);
}

int sys_mmap_at(void *wish, void **address, size_t bytes, int protection, int flags, int fd)
{
	long value = CALL(SYS_mmap, wish, bytes, protection, flags, fd, 0L);

	if (value < 0 && value > -4096)
		return (int)value;
	*address = (void *)value;
	return 0;
}

/* The addresses of our mappings.  The kernel puts a new mapping into the highest gap that is large
 * enough.  So a mapping that a handler makes would fill the gap that the program has just made with
 * munmap(2).  A program with one thread may put something else there by MAP_FIXED, or expect a
 * fault.  Addresses that a handler asks for therefore lie in a separate range, and each is used
 * once before any is used again. */
static _Atomic uintptr_t lowest; /* 0: the kernel chooses */
static _Atomic uintptr_t used;	 /* bytes from there; grows without end */

void sys_start_apart(void *mapping)
{
	uintptr_t below = (uintptr_t)mapping, none = 0;

	if (below > 2 * APART_BYTES)
		atomic_compare_exchange_strong_explicit(&lowest, &none, below - 2 * APART_BYTES,
							memory_order_relaxed, memory_order_relaxed);
}

int sys_mmap(void **address, size_t bytes, int protection, int flags, int fd)
{
	return sys_mmap_at(NULL, address, bytes, protection, flags, fd);
}

int sys_mmap_apart(void **address, size_t bytes, int protection, int flags, int fd)
{
	uintptr_t wish = atomic_load_explicit(&lowest, memory_order_relaxed);

	if (wish)
		wish += atomic_fetch_add_explicit(&used, (bytes + PAGE_MASK) & ~PAGE_MASK,
						  memory_order_relaxed) &
			(APART_BYTES - 1);
	return sys_mmap_at((void *)wish, address, bytes, protection, flags, fd); /* NOLINT */
}

int sys_munmap(void *address, size_t bytes)
{
	return (int)CALL(SYS_munmap, address, bytes);
}

int sys_mprotect(void *address, size_t bytes, int protection)
{
	return (int)CALL(SYS_mprotect, address, bytes, protection);
}

int sys_madvise(void *address, size_t bytes, int advice)
{
	return (int)CALL(SYS_madvise, address, bytes, advice);
}

long sys_copy_memory(pid_t self, void *to, uint64_t from, size_t bytes)
{
	struct iovec local = { to, bytes };
	struct iovec remote = { (void *)from, bytes }; /* NOLINT(performance-no-int-to-ptr) */

	return CALL(SYS_process_vm_readv, self, &local, 1, &remote, 1, 0);
}

long sys_copy_pieces(pid_t self, void *to, size_t bytes, const struct iovec *from, unsigned count)
{
	struct iovec local = { to, bytes };

	return CALL(SYS_process_vm_readv, self, &local, 1, from, count, 0);
}

long sys_copy_vector(pid_t self, const struct iovec *to, const struct iovec *from, unsigned count)
{
	return CALL(SYS_process_vm_readv, self, to, count, from, count, 0);
}

pid_t sys_getpid(void)
{
	return (pid_t)CALL(SYS_getpid, 0);
}

pid_t sys_getppid(void)
{
	return (pid_t)CALL(SYS_getppid, 0);
}

pid_t sys_getsid(pid_t pid)
{
	return (pid_t)CALL(SYS_getsid, pid);
}

pid_t sys_gettid(void)
{
	return (pid_t)CALL(SYS_gettid, 0);
}

uid_t sys_geteuid(void)
{
	return (uid_t)CALL(SYS_geteuid, 0);
}

int sys_uname(struct utsname *name)
{
	return (int)CALL(SYS_uname, name);
}

int sys_getrlimit(int resource, struct rlimit *limit)
{
	return (int)CALL(SYS_prlimit64, 0, resource, NULL, limit);
}

int sys_set_rlimit(int resource, const struct rlimit *limit)
{
	return (int)CALL(SYS_prlimit64, 0, resource, limit, NULL);
}

int sys_getrusage(int who, struct rusage *usage)
{
	return (int)CALL(SYS_getrusage, who, usage);
}

int sys_setitimer(const struct itimerval *value, struct itimerval *old)
{
	return (int)CALL(SYS_setitimer, ITIMER_REAL, value, old);
}

int sys_prctl(int option, unsigned long argument)
{
	return (int)CALL(SYS_prctl, option, argument, 0L, 0L, 0L);
}

int sys_clock_call(clockid_t clock, struct timespec *time)
{
	return (int)CALL(SYS_clock_gettime, clock, time);
}

long sys_getrandom(void *bytes, size_t size)
{
	return CALL(SYS_getrandom, bytes, size, 0);
}

int sys_futex_wait(_Atomic uint32_t *word, uint32_t expected, const struct timespec *most)
{
	return (int)CALL(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, most);
}

int sys_futex_wake(_Atomic uint32_t *word)
{
	return (int)CALL(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1);
}

void sys_yield(void)
{
	CALL(SYS_sched_yield, 0);
}

int sys_sigmask(int how, const uint64_t *set, uint64_t *old)
{
	return (int)CALL(SYS_rt_sigprocmask, how, set, old, KERNEL_SIGSET_BYTES);
}

/* No mask from the kernel contains SIGKILL (sigprocmask(2)).  A mask with SIGKILL means that
 * nothing was changed. */
#define UNCHANGED (1ULL << (SIGKILL - 1))

uint64_t sys_signals_block(void)
{
	uint64_t all = UINT64_MAX, mask;

	return sys_sigmask(SIG_SETMASK, &all, &mask) ? UNCHANGED : mask;
}

void sys_signals_restore(uint64_t mask)
{
	if (!(mask & UNCHANGED))
		sys_sigmask(SIG_SETMASK, &mask, NULL);
}

int sys_sigaltstack(const stack_t *stack, stack_t *old)
{
	return (int)CALL(SYS_sigaltstack, stack, old);
}

int sys_sigpending(uint64_t *set)
{
	return (int)CALL(SYS_rt_sigpending, set, KERNEL_SIGSET_BYTES);
}

int sys_sigqueue_thread(pid_t pid, pid_t tid, int signal, siginfo_t *info)
{
	return (int)CALL(SYS_rt_tgsigqueueinfo, pid, tid, signal, info);
}

int sys_sigtimedwait(uint64_t set, siginfo_t *info)
{
	struct timespec none = { 0 };

	return (int)CALL(SYS_rt_sigtimedwait, &set, info, &none, KERNEL_SIGSET_BYTES);
}

long sys_restart(void)
{
	return CALL(SYS_restart_syscall, 0);
}

bool sys_shares_handlers(pid_t one, pid_t other)
{
	return !CALL(SYS_kcmp, one, other, KCMP_SIGHAND, 0, 0);
}

int sys_sigqueue_process(pid_t pid, int signal, siginfo_t *info)
{
	return (int)CALL(SYS_rt_sigqueueinfo, pid, signal, info);
}

int sys_perf_event_open(struct perf_event_attr *attr, pid_t tid, int group, unsigned long flags)
{
	return (int)CALL(SYS_perf_event_open, attr, tid, -1, group, flags);
}

int sys_ioctl(int fd, unsigned long request, unsigned long argument)
{
	return (int)CALL(SYS_ioctl, fd, request, argument);
}

int sys_fcntl(int fd, int command, unsigned long argument)
{
	return (int)CALL(SYS_fcntl, fd, command, argument);
}

int sys_timer_create(clockid_t clock, struct sigevent *event, int *timer)
{
	return (int)CALL(SYS_timer_create, clock, event, timer);
}

int sys_timer_start(int timer, uint64_t first_ns, uint64_t interval_ns)
{
	struct itimerspec spec = {
		.it_value = { (time_t)(first_ns / 1000000000), (long)(first_ns % 1000000000) },
		.it_interval = { (time_t)(interval_ns / 1000000000),
				 (long)(interval_ns % 1000000000) },
	};

	return (int)CALL(SYS_timer_settime, timer, 0, &spec, NULL);
}

int sys_timer_delete(int timer)
{
	return (int)CALL(SYS_timer_delete, timer);
}
