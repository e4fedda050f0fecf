/*
 * All system calls of the half that lives in the target; no other file there makes any.  Each
 * returns the kernel's result, or -errno. errno itself may change: code that runs on the target's
 * behalf saves it.  None allocates or locks.  Context of all: any, signal included.
 */
#ifndef RUNTIME_SAMPLE_SYS_SYS_H
#define RUNTIME_SAMPLE_SYS_SYS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

struct itimerval;
struct perf_event_attr;
struct rlimit;
struct rusage;
struct stat;
struct statfs;
struct timespec;
struct utsname;

/* Learn where the kernel lets clocks be read without a system call (vdso(7)).  Until then, and
 * where it does not, each reading is a system call. sys_clock.c.  Context: init. */
void sys_start(void);

/* The library that the kernel maps into every process (vdso(7)), read without libc, whose lookup
 * may be interposed.  Returns the bytes of the image that its program headers cover; 0 if it is not
 * an image.  `image` is page-aligned, and its first page is mapped (getauxval(3), AT_SYSINFO_EHDR).
 */
size_t sys_vdso_bytes(const void *image);

/* Returns the address of a function in an image of that many bytes, which may hold anything.  0:
 * there is no such function. */
uint64_t sys_vdso_find(const void *image, size_t bytes, const char *name);

/* The target is about to make the instruction that reads the processor's clock a fault, in one
 * thread or more: prctl(2), PR_SET_TSC.  Every reading of a clock is a system call from now on. */
void sys_avoid_cycles(void);
bool sys_may_read_cycles(void);

/* Returns the address of the clock function in the vDSO; 0 if it is not used. */
uint64_t sys_clock_address(void);

/* From now on make no system call: each fails with -EPERM.  For a process that a sandbox would kill
 * for one of our calls (seccomp(2)).  It cannot be undone. */
void sys_go_quiet(void);

/* Like sys_go_quiet(), for the calling thread alone; false undoes it.  Context: thread. */
void sys_keep_quiet(bool silent);
bool sys_is_quiet(void);

/* Make the call of that number with arguments that no call accepts.  The result does not matter. */
void sys_try(long number);

/* Files: openat(2), read(2), close(2), ftruncate(2), unlink(2), mkdir(2), … */
int sys_open(const char *path, int flags, mode_t mode);
long sys_read(int fd, void *bytes, size_t size);
int sys_close(int fd);

/* write(2), as if it were not made: no signal comes of it.  Waits for room in a pipe, a socket or a
 * terminal for a tenth of a second; then, and where no one reads, -EAGAIN. */
long sys_write(int fd, const void *bytes, size_t size);
int sys_ftruncate(int fd, uint64_t bytes);
int sys_unlink(const char *path);
int sys_rename_new(const char *from, const char *to); /* never replaces an existing file */
int sys_access(const char *path, int mode);
long sys_readlink(const char *path, char *target, size_t size);
long sys_getcwd(char *path, size_t size);
int sys_fstat(int fd, struct stat *stat);
int sys_stat(const char *path, struct stat *stat);
int sys_statfs(const char *path, struct statfs *statfs);
long sys_getdents(int fd, void *entries, size_t size);

/* Memory.  *address is set on success: mmap(2), munmap(2), mprotect(2), madvise(2). */
int sys_mmap(void **address, size_t bytes, int protection, int flags, int fd);

/* Like sys_mmap(), at the address `wish` if nothing is mapped there. */
int sys_mmap_at(void *wish, void **address, size_t bytes, int protection, int flags, int fd);

/* Like sys_mmap(), for mappings that a handler makes.  They do not go where the kernel would put
 * the program's next mapping.  That is often where the program has just unmapped something, and the
 * program may rely on it. */
int sys_mmap_apart(void **address, size_t bytes, int protection, int flags, int fd);

/* Choose the address range for sys_mmap_apart(): far below a mapping made at the start.  Only the
 * first call counts.  Context: init. */
void sys_start_apart(void *mapping);
int sys_munmap(void *address, size_t bytes);
int sys_mprotect(void *address, size_t bytes, int protection);
int sys_madvise(void *address, size_t bytes, int advice);

/* Copy from several places, in order, to as many or to one, where a load could fault.  Returns the
 * bytes copied, or -EFAULT: process_vm_readv(2) on this process, by the id of one of its threads.
 */
long sys_copy_memory(pid_t self, const struct iovec *to, unsigned to_count,
		     const struct iovec *from, unsigned from_count);

/* Ids of this process. */
pid_t sys_getpid(void);
pid_t sys_getppid(void);
pid_t sys_getsid(pid_t pid); /* 0: ours */
pid_t sys_gettid(void);
uid_t sys_geteuid(void);
int sys_uname(struct utsname *name);
int sys_getrlimit(int resource, struct rlimit *limit);
int sys_set_rlimit(int resource, const struct rlimit *limit);
int sys_getrusage(int who, struct rusage *usage);
int sys_prctl(int option, unsigned long argument);
int sys_clock(clockid_t clock, struct timespec *time);
int sys_clock_call(clockid_t clock, struct timespec *time); /* always a system call */
long sys_getrandom(void *bytes, size_t size);
/* FUTEX_WAIT: waits until it is woken, or at most for `most`; NULL: without limit. */
int sys_futex_wait(_Atomic uint32_t *word, uint32_t expected, const struct timespec *most);
int sys_futex_wake(_Atomic uint32_t *word);

void sys_yield(void);

/* Calls for a child of ours, at the end: execve(2), dup3(2), close_range(2), wait4(2), poll(2),
 * kill(2), exit_group(2), ptrace(2) without an address.  sys_wait() never ends with
 * EINTR. */
pid_t sys_fork_silently(void); /* no exit signal: wait with __WCLONE */
int sys_execve(const char *path, char *const argv[], char *const envp[]);
int sys_dup(int fd, int as);
int sys_close_from(unsigned first);
int sys_wait(pid_t pid, int *status, int options);
short sys_poll(int fd, short events, int ms); /* what of `events` came true; 0: nothing */
int sys_kill(pid_t pid, int signal);
int sys_ptrace(int request, pid_t tid, unsigned long data);
void sys_exit(int status);

/* Signals.  The mask is the kernel's 64-bit word, bit N-1 for signal N. */
int sys_sigmask(int how, const uint64_t *set, uint64_t *old);
/* Block all signals of this thread; returns the mask to be restored.  Context: any. */
uint64_t sys_signals_block(void);
void sys_signals_restore(uint64_t mask);
int sys_sigaltstack(const stack_t *stack, stack_t *old);
int sys_sigpending(uint64_t *set); /* the signals that are blocked and pending */
int sys_sigqueue_thread(pid_t pid, pid_t tid, int signal, siginfo_t *info);
int sys_sigtimedwait(uint64_t set, siginfo_t *info); /* does not wait: -EAGAIN */
int sys_sigqueue_process(pid_t pid, int signal, siginfo_t *info);
/* restart_syscall(2): continues the sleep that a signal has just interrupted. */
long sys_restart(void);
/* True if two processes share one table of signal actions (CLONE_SIGHAND): kcmp(2); false where
 * that is refused. */
bool sys_shares_handlers(pid_t one, pid_t other);

/* Counters: perf_event_open(2) and what belongs to it. */
int sys_perf_event_open(struct perf_event_attr *attr, pid_t tid, int group, unsigned long flags);
int sys_ioctl(int fd, unsigned long request, unsigned long argument);
int sys_fcntl(int fd, int command, unsigned long argument);

/* Timers: timer_create(2) with the kernel's own ids. */
int sys_timer_create(clockid_t clock, struct sigevent *event, int *timer);
int sys_timer_start(int timer, uint64_t first_ns, uint64_t interval_ns);
int sys_timer_delete(int timer);
int sys_setitimer(const struct itimerval *value, struct itimerval *old); /* ITIMER_REAL */

#endif
