/* System calls about children and other processes, declared in sys.h, whose rules apply. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>

#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/sys_make.h"

pid_t sys_fork_silently(void)
{
	return (pid_t)CALL(SYS_clone, 0);
}

int sys_execve(const char *path, char *const argv[], char *const envp[])
{
	return (int)CALL(SYS_execve, path, argv, envp);
}

int sys_dup(int fd, int as)
{
	return (int)CALL(SYS_dup3, fd, as, 0);
}

int sys_close_from(unsigned first)
{
	return (int)CALL(SYS_close_range, first, UINT_MAX, 0);
}

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

int sys_kill(pid_t pid, int signal)
{
	return (int)CALL(SYS_kill, pid, signal);
}

void sys_exit(int status)
{
	CALL(SYS_exit_group, status);
}

int sys_ptrace(int request, pid_t tid, unsigned long data)
{
	return (int)CALL(SYS_ptrace, request, tid, 0, data);
}
