/*
 * any_state.c's table: a row for each exported name.  A row's call touches neither errno nor a
 * thread-local variable itself, and what it returns does not depend on the process.
 */
#ifndef TESTS_PRELOAD_TARGETS_ANY_STATE_H
#define TESTS_PRELOAD_TARGETS_ANY_STATE_H

#include <spawn.h>
#include <sys/epoll.h>
#include <sys/ptrace.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <threads.h>
#include <linux/capability.h>

#include "tests/preload/targets/raw_call.h"
#include "tests/preload/targets/target.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define NAMED(name) __asm__(name)

int action_too(int, const struct sigaction *, struct sigaction *) NAMED("__sigaction");
void (*sysv_too(int, void (*)(int)))(int) NAMED("__sysv_signal");
void (*bsd_signal_too(int, void (*)(int)))(int) NAMED("bsd_signal");
void (*sysv_plain(int, void (*)(int)))(int) NAMED("sysv_signal");
int pause_by_mask(int) NAMED("sigpause");
int pause_either(int, int) NAMED("__sigpause");
int pause_by_number(int) NAMED("__xpg_sigpause");
int poll_checked(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t)
	NAMED("__ppoll_chk");
int capset(void *, const void *);
void jump_checked(struct __jmp_buf_tag *, int) NAMED("__longjmp_chk");
void jump_plain(struct __jmp_buf_tag *, int) NAMED("_longjmp");
int save_plain(struct __jmp_buf_tag *) NAMED("setjmp") __attribute__((returns_twice));
unsigned flametrap_label_v1(const char *, const char *) __attribute__((weak));
void flametrap_labels_v1(unsigned) __attribute__((weak));

extern char **environ;

static char *const true_argv[] = { (char *)"true", NULL };
static struct {
	sigset_t none, some, all;
	struct sigaction action;
	void *library, *page;
	int true_fd, epoll_fd;
	char stack[32768];
} any_state;

static void on_any(int number)
{
	(void)number;
}

/* `early`: libc is not initialised yet. */
static void any_state_prepare(bool early)
{
	sigemptyset(&any_state.none);
	sigemptyset(&any_state.some);
	sigaddset(&any_state.some, SIGUSR1);
	sigfillset(&any_state.all);
	any_state.action.sa_handler = on_any;
	any_state.library = early ? NULL : dlopen("libz.so.1", RTLD_NOW);
	any_state.page = map_memory(4096, PROT_READ);
	any_state.true_fd = open("/bin/true", O_RDONLY);
	any_state.epoll_fd = epoll_create1(0);
}

static long any_state_reap(long child)
{
	int status = 0;

	raw_call(SYS_wait4, child, (long)&status, (long)__WALL, 0);
	return status;
}

static void *return_7(void *unused)
{
	(void)unused;
	return (void *)7;
}

static int return_8(void *unused)
{
	(void)unused;
	return 8;
}

/* A signal that waits: the next call that opens it returns. */
static void make_pending(void)
{
	unsigned long set = 1UL << (SIGUSR1 - 1);

	sigaction(SIGUSR1, &any_state.action, NULL);
	raw_call(SYS_rt_sigprocmask, SIG_BLOCK, (long)&set, 0, 8);
	raw_call(SYS_tgkill, raw_call(SYS_getpid, 0, 0, 0, 0), raw_call(SYS_gettid, 0, 0, 0, 0),
		 SIGUSR1, 0);
}

/* The linker gathers the rows between __start_any_state_rows and __stop_any_state_rows. */
struct row {
	const char *name;
	long (*call)(void);
};
extern const struct row __start_any_state_rows[], __stop_any_state_rows[];

#define CALL(of, ...)                                         \
	static long call_##of(void)                           \
	{                                                     \
		static const struct timespec no_time = { 0 }; \
                                                              \
		(void)no_time;                                \
		__VA_ARGS__;                                  \
		return 0;                                     \
	}                                                     \
	__attribute__((section("any_state_rows"), used,       \
		       aligned(16))) static const struct row row_##of = { #of, call_##of };
#define GIVES(of, ...) CALL(of, return (long)(__VA_ARGS__))

CALL(pthread_create, pthread_t thread; void *value = NULL;
     if (pthread_create(&thread, NULL, return_7, NULL)) return -1; pthread_join(thread, &value);
     return (long)value)
CALL(thrd_create, thrd_t thread; int value = 0; if (thrd_create(&thread, return_8, NULL)) return -1;
     thrd_join(thread, &value); return value)
CALL(pthread_key_create, pthread_key_t key; long made = 0;
     while (!pthread_key_create(&key, NULL)) made++; return made)
CALL(tss_create, tss_t key; long made = 0; while (tss_create(&key, NULL) == thrd_success) made++;
     return made)
GIVES(execve, execve("/bin/true", true_argv, environ))
GIVES(execve_missing, execve("/nowhere", true_argv, environ))
GIVES(execv, execv("/bin/true", true_argv))
GIVES(execvp, execvp("true", true_argv))
GIVES(execvpe, execvpe("true", true_argv, environ))
GIVES(execl, execl("/bin/true", "true", NULL))
GIVES(execlp, execlp("true", "true", NULL))
GIVES(execle, execle("/bin/true", "true", NULL, environ))
GIVES(fexecve, fexecve(any_state.true_fd, true_argv, environ))
GIVES(execveat, execveat(any_state.true_fd, "", true_argv, environ, AT_EMPTY_PATH))
CALL(posix_spawn, pid_t pid = 0;
     if (posix_spawn(&pid, "/bin/true", NULL, NULL, true_argv, environ)) return -1;
     return any_state_reap(pid))
CALL(posix_spawnp, pid_t pid = 0;
     if (posix_spawnp(&pid, "true", NULL, NULL, true_argv, environ)) return -1;
     return any_state_reap(pid))
GIVES(system, system("exit 3"))
CALL(popen, FILE *stream = popen("exit 3", "r"); return stream ? pclose(stream) : -1)
CALL(_exit, _exit(5))
CALL(_Exit, _Exit(6))
CALL(vfork, pid_t pid = vfork(); if (!pid) raw_call(SYS_exit_group, 4, 0, 0, 0);
     return any_state_reap(pid))
CALL(clone, int pid = clone(return_8, any_state.stack + sizeof(any_state.stack), SIGCHLD, NULL);
     return pid < 0 ? pid : any_state_reap(pid))
GIVES(sigaction, sigaction(SIGUSR1, &any_state.action, NULL))
GIVES(sigaction_ours, sigaction(SIGTRAP, &any_state.action, NULL))
GIVES(__sigaction, action_too(SIGUSR1, &any_state.action, NULL))
GIVES(sigprocmask, sigprocmask(SIG_BLOCK, &any_state.all, NULL))
CALL(sigprocmask_ask, sigset_t old; sigprocmask(SIG_SETMASK, &any_state.all, NULL);
     if (sigprocmask(SIG_SETMASK, &any_state.none, &old)) return -1;
     return (long)(old.__val[0] & ~(1UL << (SIGTRAP - 1))))
GIVES(pthread_sigmask, pthread_sigmask(SIG_SETMASK, &any_state.all, NULL))
CALL(sigaltstack, stack_t stack = { .ss_sp = any_state.stack, .ss_size = 16384 };
     return sigaltstack(&stack, NULL))
GIVES(signal, signal(SIGUSR1, on_any) == SIG_ERR)
GIVES(bsd_signal, bsd_signal_too(SIGUSR1, on_any) == SIG_ERR)
GIVES(ssignal, ssignal(SIGUSR1, on_any) == SIG_ERR)
GIVES(sysv_signal, sysv_plain(SIGUSR1, on_any) == SIG_ERR)
GIVES(__sysv_signal, sysv_too(SIGUSR1, on_any) == SIG_ERR)
GIVES(sigset, sigset(SIGUSR1, on_any) == SIG_ERR)
GIVES(sigset_ours, sigset(SIGTRAP, on_any) == SIG_ERR)
GIVES(sighold, sighold(SIGUSR1))
GIVES(sighold_ours, sighold(SIGTRAP))
GIVES(sigrelse, sigrelse(SIGUSR1))
GIVES(sigignore, sigignore(SIGUSR1))
GIVES(siginterrupt, siginterrupt(SIGUSR1, 1))
GIVES(sigblock, sigblock(1 << (SIGUSR1 - 1)))
GIVES(sigsetmask, sigsetmask(0))
GIVES(siggetmask, siggetmask())
CALL(sigwait, int number = 0; make_pending(); sigwait(&any_state.some, &number); return number)
CALL(sigwaitinfo, make_pending(); return sigwaitinfo(&any_state.some, NULL))
CALL(sigtimedwait, make_pending(); return sigtimedwait(&any_state.some, NULL, &no_time))
CALL(sigtimedwait_nothing, return sigtimedwait(&any_state.some, NULL, &no_time))
GIVES(signalfd, signalfd(-1, &any_state.all, 0) >= 0)
CALL(sigpending, sigset_t set; make_pending(); if (sigpending(&set)) return -1;
     return (long)set.__val[0])
CALL(sigsuspend, make_pending(); return sigsuspend(&any_state.none))
CALL(sigpause, make_pending(); return pause_by_mask(0))
CALL(__sigpause, make_pending(); return pause_either(SIGUSR1, 1))
CALL(__xpg_sigpause, make_pending(); return pause_by_number(SIGUSR1))
CALL(pselect, return pselect(0, NULL, NULL, NULL, &no_time, &any_state.none))
CALL(pselect_cut, make_pending(); return pselect(0, NULL, NULL, NULL, NULL, &any_state.none))
CALL(ppoll, return ppoll(NULL, 0, &no_time, &any_state.none))
CALL(__ppoll_chk, struct pollfd none[1]; return poll_checked(none, 0, &no_time, &any_state.none, 8))
CALL(epoll_pwait, struct epoll_event event;
     return epoll_pwait(any_state.epoll_fd, &event, 1, 0, &any_state.none))
CALL(epoll_pwait2, struct epoll_event event;
     return epoll_pwait2(any_state.epoll_fd, &event, 1, &no_time, &any_state.none))
#define JUMPS(row, save, jump) \
	CALL(row, static sigjmp_buf buffer; if (save) return 9; jump(buffer, 1))
JUMPS(siglongjmp, __sigsetjmp(buffer, 1), siglongjmp)
JUMPS(longjmp, __sigsetjmp(buffer, 0), longjmp)
JUMPS(_longjmp, __sigsetjmp(buffer, 0), jump_plain)
JUMPS(__longjmp_chk, __sigsetjmp(buffer, 1), jump_checked)
CALL(__sigsetjmp, static sigjmp_buf buffer; return __sigsetjmp(buffer, 1))
CALL(setjmp, static sigjmp_buf buffer; return save_plain(buffer))
CALL(getcontext, static ucontext_t context; return getcontext(&context))
CALL(setcontext, static ucontext_t context; static volatile int turns;
     if (getcontext(&context)) return -1; if (!turns++) setcontext(&context); return turns)
CALL(swapcontext, static ucontext_t left, next; static volatile int turns;
     if (getcontext(&next)) return -1; if (!turns++) swapcontext(&left, &next); return turns)
GIVES(prctl, prctl(PR_GET_DUMPABLE))
GIVES(prctl_refused, prctl(-1))
GIVES(ptrace, ptrace(PTRACE_PEEKDATA, 0, NULL, NULL))
GIVES(wait, wait(NULL))
GIVES(waitpid, waitpid(-1, NULL, WNOHANG))
GIVES(wait3, wait3(NULL, WNOHANG, NULL))
GIVES(wait4, wait4(-1, NULL, WNOHANG, NULL))
GIVES(waitid, waitid(P_ALL, 0, NULL, WEXITED))
GIVES(dlopen, dlopen("/no/such/library.so", RTLD_NOW) != NULL)
GIVES(dlmopen, dlmopen(LM_ID_BASE, "/no/such/library.so", RTLD_NOW) != NULL)
GIVES(dlsym, dlsym(RTLD_DEFAULT, "no_such_symbol") != NULL)
GIVES(dlvsym, dlvsym(RTLD_DEFAULT, "no_such_symbol", "NONE_1") != NULL)
GIVES(syscall, syscall(SYS_sched_yield))
CALL(syscall_mask, unsigned long set = ~0UL;
     return syscall(SYS_rt_sigprocmask, SIG_SETMASK, &set, NULL, 8))
CALL(syscall_action, return syscall(SYS_rt_sigaction, SIGTRAP, NULL, NULL, 8))
CALL(syscall_exec, return syscall(SYS_execve, "/bin/true", true_argv, environ))
CALL(syscall_exit, return syscall(SYS_exit_group, 3))
GIVES(dlclose, any_state.library ? dlclose(any_state.library) : 0)
GIVES(munmap, munmap(any_state.page, 4096))
GIVES(munmap_refused, munmap((void *)1, 4096))
GIVES(mlockall, mlockall(0))
static struct rlimit any_state_limit = { 1UL << 40, RLIM_INFINITY };
GIVES(setrlimit, setrlimit(RLIMIT_AS, &any_state_limit))
GIVES(setrlimit_refused, setrlimit(RLIMIT_AS, (void *)1))
GIVES(setrlimit64, setrlimit64(RLIMIT_AS, (void *)&any_state_limit))
GIVES(prlimit, prlimit(0, RLIMIT_AS, &any_state_limit, NULL))
GIVES(prlimit64, prlimit64(0, RLIMIT_AS, (void *)&any_state_limit, NULL))
GIVES(syscall_prlimit, syscall(SYS_prlimit64, 0, RLIMIT_AS, &any_state_limit, NULL))
#define USER_NOW ((uid_t)raw_call(SYS_geteuid, 0, 0, 0, 0))
GIVES(setuid, setuid(USER_NOW))
GIVES(setuid_refused, setuid((uid_t)-1))
GIVES(seteuid, seteuid(USER_NOW))
GIVES(setreuid, setreuid((uid_t)-1, (uid_t)-1))
GIVES(setresuid, setresuid((uid_t)-1, (uid_t)-1, (uid_t)-1))
CALL(capset, struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
     struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];
     raw_call(SYS_capget, (long)&header, (long)data, 0, 0); return capset(&header, data))
GIVES(capset_refused, capset((void *)1, (void *)1))
GIVES(unshare, unshare(0))
GIVES(setns, setns(-1, 0))
GIVES(syscall_setuid, syscall(SYS_setuid, USER_NOW))
CALL(flametrap_label_v1, if (flametrap_label_v1) flametrap_label_v1("key", "value"))
CALL(flametrap_labels_v1, if (flametrap_labels_v1) flametrap_labels_v1(0))

#endif
