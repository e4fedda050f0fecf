/*
 * System calls by number, so that no function that the target (or its libraries) interposes is
 * called and no cancellation point is added to the target's code. errno is left alone.
 */
#include "runtime/sample/sys/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/futex.h>
#include <linux/kcmp.h>
#include <linux/perf_event.h>
#include <poll.h>
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
#define PATIENCE_MS	    100 /* for a full pipe, socket or terminal */
#define KERNEL_SIGSET_BYTES 8	/* sizeof(sigset_t) of the kernel, rt_sigprocmask(2) */

/* A function of sys.h that only makes a call: its type, its name and parameters; the call's number
 * and arguments. */
#define DEFINE_CALL(type, function, ...)        \
	type function                           \
	{                                       \
		return (type)CALL(__VA_ARGS__); \
	}

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

DEFINE_CALL(int, sys_open(const char *path, int flags, mode_t mode), SYS_openat, AT_FDCWD, path,
	    flags, mode)
DEFINE_CALL(long, sys_read(int fd, void *bytes, size_t size), SYS_read, fd, bytes, size)

int sys_close(int fd)
{
	int err = (int)MAKE(SYS_close, fd); /* closes the file whatever its answer is: close(2) */

	return (int)FAULT(SYS_close) ?: err;
}

DEFINE_CALL(int, sys_ftruncate(int fd, uint64_t bytes), SYS_ftruncate, fd, bytes)
DEFINE_CALL(int, sys_unlink(const char *path), SYS_unlinkat, AT_FDCWD, path, 0)
DEFINE_CALL(int, sys_rename_new(const char *from, const char *to), SYS_renameat2, AT_FDCWD, from,
	    AT_FDCWD, to, RENAME_NOREPLACE)
DEFINE_CALL(int, sys_access(const char *path, int mode), SYS_faccessat, AT_FDCWD, path, mode)
DEFINE_CALL(long, sys_readlink(const char *path, char *target, size_t size), SYS_readlinkat,
	    AT_FDCWD, path, target, size)
DEFINE_CALL(long, sys_getcwd(char *path, size_t size), SYS_getcwd, path, size)
DEFINE_CALL(int, sys_fstat(int fd, struct stat *stat), SYS_newfstatat, fd, "", stat, AT_EMPTY_PATH)
DEFINE_CALL(int, sys_stat(const char *path, struct stat *stat), SYS_newfstatat, AT_FDCWD, path,
	    stat, 0)
DEFINE_CALL(int, sys_statfs(const char *path, struct statfs *statfs), SYS_statfs, path, statfs)
DEFINE_CALL(long, sys_getdents(int fd, void *entries, size_t size), SYS_getdents64, fd, entries,
	    size)

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

DEFINE_CALL(int, sys_munmap(void *address, size_t bytes), SYS_munmap, address, bytes)
DEFINE_CALL(int, sys_mprotect(void *address, size_t bytes, int protection), SYS_mprotect, address,
	    bytes, protection)
DEFINE_CALL(int, sys_madvise(void *address, size_t bytes, int advice), SYS_madvise, address, bytes,
	    advice)

DEFINE_CALL(long,
	    sys_copy_memory(pid_t self, const struct iovec *to, unsigned to_count,
			    const struct iovec *from, unsigned from_count),
	    SYS_process_vm_readv, self, to, to_count, from, from_count, 0)

DEFINE_CALL(pid_t, sys_getpid(void), SYS_getpid, 0)
DEFINE_CALL(pid_t, sys_getppid(void), SYS_getppid, 0)
DEFINE_CALL(pid_t, sys_getsid(pid_t pid), SYS_getsid, pid)
DEFINE_CALL(pid_t, sys_gettid(void), SYS_gettid, 0)
DEFINE_CALL(uid_t, sys_geteuid(void), SYS_geteuid, 0)
DEFINE_CALL(int, sys_uname(struct utsname *name), SYS_uname, name)
DEFINE_CALL(int, sys_getrlimit(int resource, struct rlimit *limit), SYS_prlimit64, 0, resource,
	    NULL, limit)
DEFINE_CALL(int, sys_set_rlimit(int resource, const struct rlimit *limit), SYS_prlimit64, 0,
	    resource, limit, NULL)
DEFINE_CALL(int, sys_getrusage(int who, struct rusage *usage), SYS_getrusage, who, usage)
DEFINE_CALL(int, sys_setitimer(const struct itimerval *value, struct itimerval *old), SYS_setitimer,
	    ITIMER_REAL, value, old)
DEFINE_CALL(int, sys_prctl(int option, unsigned long argument), SYS_prctl, option, argument, 0L, 0L,
	    0L)
DEFINE_CALL(int, sys_clock_call(clockid_t clock, struct timespec *time), SYS_clock_gettime, clock,
	    time)
DEFINE_CALL(long, sys_getrandom(void *bytes, size_t size), SYS_getrandom, bytes, size, 0)
DEFINE_CALL(int,
	    sys_futex_wait(_Atomic uint32_t *word, uint32_t expected, const struct timespec *most),
	    SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, most)
DEFINE_CALL(int, sys_futex_wake(_Atomic uint32_t *word), SYS_futex, word, FUTEX_WAKE_PRIVATE, 1)

void sys_yield(void)
{
	CALL(SYS_sched_yield, 0);
}

DEFINE_CALL(int, sys_sigmask(int how, const uint64_t *set, uint64_t *old), SYS_rt_sigprocmask, how,
	    set, old, KERNEL_SIGSET_BYTES)

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

DEFINE_CALL(int, sys_sigaltstack(const stack_t *stack, stack_t *old), SYS_sigaltstack, stack, old)
DEFINE_CALL(int, sys_sigpending(uint64_t *set), SYS_rt_sigpending, set, KERNEL_SIGSET_BYTES)
DEFINE_CALL(int, sys_sigqueue_thread(pid_t pid, pid_t tid, int signal, siginfo_t *info),
	    SYS_rt_tgsigqueueinfo, pid, tid, signal, info)

int sys_sigtimedwait(uint64_t set, siginfo_t *info)
{
	struct timespec none = { 0 };

	return (int)CALL(SYS_rt_sigtimedwait, &set, info, &none, KERNEL_SIGSET_BYTES);
}

DEFINE_CALL(long, sys_restart(void), SYS_restart_syscall, 0)

bool sys_shares_handlers(pid_t one, pid_t other)
{
	return !CALL(SYS_kcmp, one, other, KCMP_SIGHAND, 0, 0);
}

DEFINE_CALL(int, sys_sigqueue_process(pid_t pid, int signal, siginfo_t *info), SYS_rt_sigqueueinfo,
	    pid, signal, info)
DEFINE_CALL(int,
	    sys_perf_event_open(struct perf_event_attr *attr, pid_t tid, int group,
				unsigned long flags),
	    SYS_perf_event_open, attr, tid, -1, group, flags)
DEFINE_CALL(int, sys_ioctl(int fd, unsigned long request, unsigned long argument), SYS_ioctl, fd,
	    request, argument)
DEFINE_CALL(int, sys_fcntl(int fd, int command, unsigned long argument), SYS_fcntl, fd, command,
	    argument)
DEFINE_CALL(int, sys_timer_create(clockid_t clock, struct sigevent *event, int *timer),
	    SYS_timer_create, clock, event, timer)

int sys_timer_start(int timer, uint64_t first_ns, uint64_t interval_ns)
{
	struct itimerspec spec = {
		.it_value = { (time_t)(first_ns / 1000000000), (long)(first_ns % 1000000000) },
		.it_interval = { (time_t)(interval_ns / 1000000000),
				 (long)(interval_ns % 1000000000) },
	};

	return (int)CALL(SYS_timer_settime, timer, 0, &spec, NULL);
}

DEFINE_CALL(int, sys_timer_delete(int timer), SYS_timer_delete, timer)

/* Children, and other processes. */
DEFINE_CALL(pid_t, sys_fork_silently(void), SYS_clone, 0)
DEFINE_CALL(int, sys_execve(const char *path, char *const argv[], char *const envp[]), SYS_execve,
	    path, argv, envp)
DEFINE_CALL(int, sys_dup(int fd, int as), SYS_dup3, fd, as, 0)
DEFINE_CALL(int, sys_close_from(unsigned first), SYS_close_range, first, UINT_MAX, 0)

int sys_wait(pid_t pid, int *status, int options)
{
	long waited;

	do {
		waited = CALL(SYS_wait4, pid, status, options, NULL);
	} while (waited == -EINTR);
	return waited < 0 ? (int)waited : 0;
}

short sys_poll(int fd, short events, int ms)
{
	struct pollfd poll = { .fd = fd, .events = events };
	struct timespec limit = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };

	return CALL(SYS_ppoll, &poll, 1, &limit, NULL, 0) > 0 ? poll.revents : 0;
}

DEFINE_CALL(int, sys_kill(pid_t pid, int signal), SYS_kill, pid, signal)

void sys_exit(int status)
{
	CALL(SYS_exit_group, status);
}

DEFINE_CALL(int, sys_ptrace(int request, pid_t tid, unsigned long data), SYS_ptrace, request, tid,
	    0, data)

static uint64_t bit(int signal)
{
	return 1ULL << (signal - 1);
}

static bool is_pending(int signal)
{
	uint64_t pending = 0;

	return !sys_sigpending(&pending) && pending & bit(signal);
}

/* Of two signals that are pending, the thread's own is taken first.  The kernel keeps one of each
 * number: if none is left and one was pending `before`, ours was never added to the program's. */
static void take_back(int signal, bool before)
{
	siginfo_t info;

	if (sys_sigtimedwait(bit(signal), &info) == signal && before && !is_pending(signal))
		sys_sigqueue_thread(sys_getpid(), sys_gettid(), signal, &info);
}

static bool has_room(int fd)
{
	short ready = sys_poll(fd, POLLOUT, PATIENCE_MS);

	return ready > 0 && ready & POLLOUT && !(ready & (POLLERR | POLLHUP));
}

/* A write may send the calling thread a signal: a limit on file sizes SIGXFSZ, a pipe without a
 * reader SIGPIPE, a terminal in the foreground of another job SIGTTOU.  Without us there would be
 * none.  So all signals are blocked meanwhile; the first two, which the kernel sends to the thread,
 * are taken back, and the third is not sent to a thread that blocks it. */
long sys_write(int fd, const void *bytes, size_t size)
{
	uint64_t mask = sys_signals_block();
	bool pipe = mask & bit(SIGPIPE) && is_pending(SIGPIPE);
	bool limit = mask & bit(SIGXFSZ) && is_pending(SIGXFSZ);
	long written = has_room(fd) ? CALL(SYS_write, fd, bytes, size) : -EAGAIN;

	if (written == -EPIPE)
		take_back(SIGPIPE, pipe);
	if (written == -EFBIG)
		take_back(SIGXFSZ, limit);
	sys_signals_restore(mask);
	return written;
}
