/*
 * The system calls of the half that lives in the target: all of them, and nowhere else.
 * Each returns the kernel's result, or -errno.  errno itself may change: whoever runs on the
 * target's behalf saves it.  None allocates or locks.  Context of all: any, signal included.
 */
#ifndef RUNTIME_SAMPLE_SYS_SYS_H
#define RUNTIME_SAMPLE_SYS_SYS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct itimerval;
struct perf_event_attr;
struct rlimit;
struct rusage;
struct stat;
struct statfs;
struct timespec;
struct utsname;

/* Learn where the kernel lets clocks be read without a system call (vdso(7)); until then, and where
 * it does not, each reading is one.  sys_clock.c.  Context: init. */
void sys_start(void);

/* The target is about to make the instruction that reads the processor's clock a fault, in one
 * thread or more: prctl(2), PR_SET_TSC.  Every reading of a clock is a system call from now on. */
void sys_avoid_cycles(void);
bool sys_may_read_cycles(void);

/* Where in the kernel's library clocks are read; 0 if they are not. */
uint64_t sys_clock_address(void);

/* From now on make no system call: each fails with -EPERM.  For a process that a sandbox would
 * kill for one of ours (seccomp(2)).  Not undone. */
void sys_go_quiet(void);

/* The same for the calling thread alone, and undone by false.  Context: thread. */
void sys_keep_quiet(bool silent);
bool sys_is_quiet(void);

/* The call of that number with arguments that none accepts; what it answers does not matter. */
void sys_try(long number);

/* Files: openat(2), read(2), write(2), close(2), ftruncate(2), unlink(2), mkdir(2), … */
int sys_open(const char *path, int flags, mode_t mode);
long sys_read(int fd, void *bytes, size_t size);
long sys_write(int fd, const void *bytes, size_t size);
int sys_close(int fd);
int sys_ftruncate(int fd, uint64_t bytes);
int sys_unlink(const char *path);
int sys_rename_new(const char *from, const char *to); /* never in the place of another */
int sys_access(const char *path, int mode);
long sys_readlink(const char *path, char *target, size_t size);
long sys_getcwd(char *path, size_t size);
int sys_fstat(int fd, struct stat *stat);
int sys_stat(const char *path, struct stat *stat);
int sys_statfs(const char *path, struct statfs *statfs);
long sys_getdents(int fd, void *entries, size_t size);

/* Memory.  *address is set on success: mmap(2), munmap(2), mprotect(2), madvise(2). */
int sys_mmap(void **address, size_t bytes, int protection, int flags, int fd);

/* The same at the address wished for, if nothing is there. */
int sys_mmap_at(void *wish, void **address, size_t bytes, int protection, int flags, int fd);

/* The same for what a handler maps: not where the kernel would put what the program maps next,
 * which is often where the program has just unmapped something, and which it may count on. */
int sys_mmap_apart(void **address, size_t bytes, int protection, int flags, int fd);

/* Where that is: far below a mapping made at the start.  Only the first call counts.  Context:
 * init. */
void sys_start_apart(void *mapping);
int sys_munmap(void *address, size_t bytes);
int sys_mprotect(void *address, size_t bytes, int protection);
int sys_madvise(void *address, size_t bytes, int advice);

/* Bytes copied from where a load could fault, or -EFAULT: process_vm_readv(2) on ourselves, by the
 * number of one of our threads. */
long sys_copy_memory(pid_t self, void *to, uint64_t from, size_t bytes);

/* Ourselves. */
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
/* FUTEX_WAIT: until it was woken, or for as long as `most` says; NULL: for good. */
int sys_futex_wait(_Atomic uint32_t *word, uint32_t expected, const struct timespec *most);
int sys_futex_wake(_Atomic uint32_t *word);

void sys_yield(void);

/* A child of ours, at the end: execve(2), dup3(2), close_range(2), wait4(2), poll(2) for reading,
 * kill(2), exit_group(2), ptrace(2) without an address. */
pid_t sys_fork_silently(void); /* no exit signal: wait with __WCLONE */
int sys_execve(const char *path, char *const argv[], char *const envp[]);
int sys_dup(int fd, int as);
int sys_close_from(unsigned first);
int sys_wait(pid_t pid, int *status, int options);
int sys_poll_in(int fd, int seconds);
int sys_kill(pid_t pid, int signal);
int sys_ptrace(int request, pid_t tid, unsigned long data);
void sys_exit(int status);

/* Signals.  The mask is the kernel's 64-bit word, bit N-1 for signal N. */
int sys_sigmask(int how, const uint64_t *set, uint64_t *old);
/* Block all signals of this thread; returns the mask to be restored.  Context: any. */
uint64_t sys_signals_block(void);
void sys_signals_restore(uint64_t mask);
int sys_sigaltstack(const stack_t *stack, stack_t *old);
int sys_sigpending(uint64_t *set); /* what is blocked and pending */
int sys_sigqueue_thread(pid_t pid, pid_t tid, int signal, siginfo_t *info);
int sys_sigtimedwait(uint64_t set, siginfo_t *info); /* does not wait: -EAGAIN */
int sys_sigqueue_process(pid_t pid, int signal, siginfo_t *info);
/* restart_syscall(2): the sleep that a signal has just ended goes on to its end. */
long sys_restart(void);
/* Do two processes have one table of signal actions (CLONE_SIGHAND)?  kcmp(2); false where that is
 * refused. */
bool sys_shares_handlers(pid_t one, pid_t other);

/* Counters: perf_event_open(2) and what belongs to it. */
int sys_perf_event_open(struct perf_event_attr *attr, pid_t tid, int group, unsigned long flags);
int sys_ioctl(int fd, unsigned long request, unsigned long argument);
int sys_fcntl(int fd, int command, unsigned long argument);

/* Timers: timer_create(2) with the kernel's own ids. */
int sys_timer_create(clockid_t clock, struct sigevent *event, int *timer);
int sys_timer_start(int timer, uint64_t interval_ns);
int sys_timer_delete(int timer);
int sys_setitimer(const struct itimerval *value, struct itimerval *old); /* ITIMER_REAL */

#endif
