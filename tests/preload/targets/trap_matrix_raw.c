/*
 * trap_matrix with its calls of signal(7) made by number, by syscall(2).
 *   trap_matrix_raw SIGNAL THREADS ROUNDS
 */
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/signalfd.h>

#include "tests/preload/targets/target.h"

struct raw_action {
	void *handler;
	unsigned long flags;
	void *restorer;
	uint64_t mask;
};

#if defined(__x86_64__)
#define RAW_RESTORER 0x04000000
__asm__(".text\nraw_restorer:\n\tmov $15, %eax\n\tsyscall\n");
extern char raw_restorer[];
#else
#define RAW_RESTORER 0
#define raw_restorer NULL /* the vDSO's */
#endif

/* glibc's structures are larger than the kernel's: what lies behind those must not be touched. */
static int raw_sigaction(int signal, const struct sigaction *action, struct sigaction *old)
{
	struct raw_action wanted, was;
	long result;

	if (action) {
		wanted.handler = (void *)action->sa_sigaction;
		wanted.flags = (uint32_t)action->sa_flags | RAW_RESTORER;
		wanted.restorer = raw_restorer;
		memcpy(&wanted.mask, &action->sa_mask, sizeof(wanted.mask));
	}
	result = syscall(SYS_rt_sigaction, signal, action ? &wanted : NULL, old ? &was : NULL, 8);
	if (old)
		memset(old, 0, sizeof(*old));
	if (!result && old) {
		old->sa_sigaction = (void (*)(int, siginfo_t *, void *))was.handler;
		old->sa_flags = (int)was.flags;
		memcpy(&old->sa_mask, &was.mask, sizeof(was.mask));
	}
	return (int)result;
}

static int raw_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return (int)syscall(SYS_rt_sigprocmask, how, set, old, 8);
}

static int raw_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *time)
{
	return (int)syscall(SYS_rt_sigtimedwait, set, info, time, 8);
}

static int raw_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return raw_sigtimedwait(set, info, NULL);
}

static int raw_sigwait(const sigset_t *set, int *number)
{
	*number = raw_sigwaitinfo(set, NULL);
	return *number > 0 ? 0 : errno;
}

static int raw_sigpending(sigset_t *set)
{
	return (int)syscall(SYS_rt_sigpending, set, 8);
}

static int raw_sigsuspend(const sigset_t *set)
{
	return (int)syscall(SYS_rt_sigsuspend, set, 8);
}

static int raw_signalfd(int fd, const sigset_t *set, int flags)
{
	return (int)syscall(SYS_signalfd4, fd, set, 8, flags);
}

static int raw_ppoll(struct pollfd *files, nfds_t count, const struct timespec *time,
		     const sigset_t *set)
{
	struct timespec left = *time; /* the kernel writes what is left */

	return (int)syscall(SYS_ppoll, files, count, &left, set, 8);
}

static int raw_pselect(int count, fd_set *in, fd_set *out, fd_set *errors,
		       const struct timespec *time, const sigset_t *set)
{
	const struct {
		const sigset_t *set;
		size_t bytes;
	} pair = { set, 8 };
	struct timespec left = *time;

	return (int)syscall(SYS_pselect6, count, in, out, errors, &left, &pair);
}

static int raw_epoll_pwait(int fd, struct epoll_event *events, int count, int time_ms,
			   const sigset_t *set)
{
	return (int)syscall(SYS_epoll_pwait, fd, events, count, time_ms, set, 8);
}

static int raw_epoll_pwait2(int fd, struct epoll_event *events, int count,
			    const struct timespec *time, const sigset_t *set)
{
	return (int)syscall(441, fd, events, count, time, set, 8);
}

/* It waits where all signals are blocked.  A handler that ends a sleep by number runs with the
 * thread's own mask under the library (docs/limits.md), so that it would end the next sleep. */
#define TAKES_CHILDS_SIGNAL
static void take_childs_signal(void)
{
	const struct timespec now = { 0 };
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	raw_sigtimedwait(&set, NULL, &now);
}

/* The macros do not touch what has a member of the same name: struct sigaction has none. */
#define sigaction(...)	     raw_sigaction(__VA_ARGS__)
#define sigprocmask(...)     raw_sigprocmask(__VA_ARGS__)
#define pthread_sigmask(...) raw_sigprocmask(__VA_ARGS__)
#define sigtimedwait(...)    raw_sigtimedwait(__VA_ARGS__)
#define sigwaitinfo(...)     raw_sigwaitinfo(__VA_ARGS__)
#define sigwait(...)	     raw_sigwait(__VA_ARGS__)
#define sigpending(...)	     raw_sigpending(__VA_ARGS__)
#define sigsuspend(...)	     raw_sigsuspend(__VA_ARGS__)
#define signalfd(...)	     raw_signalfd(__VA_ARGS__)
#define ppoll(...)	     raw_ppoll(__VA_ARGS__)
#define pselect(...)	     raw_pselect(__VA_ARGS__)
#define epoll_pwait(...)     raw_epoll_pwait(__VA_ARGS__)
#define epoll_pwait2(...)    raw_epoll_pwait2(__VA_ARGS__)

#include "tests/preload/targets/trap_matrix.c" /* NOLINT(bugprone-suspicious-include) */
