/*
 * Give up nearly all system calls, then work on.  Any other call kills the process.
 *   harm_sandbox MILLISECONDS strict|filter|seccomp|refused|asked|exec|early|traceless [PROGRAM]
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/preload/targets/work.h"

#define ALLOW(call)                                            \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter instructions[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW(write),
	ALLOW(exit_group),
	ALLOW(rt_sigreturn),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
};

/* For a program that is started inside: all but what only a profiler calls. */
static struct sock_filter instructions_for_exec[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_timer_create, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

#define KILL(call)                                             \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)

/* The same with what a preloaded library may call before it looks where it is. */
static struct sock_filter instructions_early[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	KILL(prctl),
	KILL(uname),
	KILL(readlinkat),
	KILL(faccessat),
	KILL(getsid),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

/* All but what debuggers call. */
static struct sock_filter instructions_traceless[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	KILL(ptrace),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static struct sock_fprog filter = { sizeof(instructions) / sizeof(instructions[0]), instructions };
static struct sock_fprog filter_for_exec = {
	sizeof(instructions_for_exec) / sizeof(instructions_for_exec[0]), instructions_for_exec
};

static struct sock_fprog filter_early = {
	sizeof(instructions_early) / sizeof(instructions_early[0]), instructions_early
};

static struct sock_fprog filter_traceless = {
	sizeof(instructions_traceless) / sizeof(instructions_traceless[0]), instructions_traceless
};

static volatile int started;

static void *burn(void *argument)
{
	started = 1;
	for (;;)
		WORK(1000000);
	return argument;
}

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		_exit(9);
}

static int enter(const char *mode)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!strcmp(mode, "strict"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
	if (!strcmp(mode, "filter"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
	if (!strcmp(mode, "seccomp"))
		return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC,
				    &filter);
	if (!strcmp(mode, "exec"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter_for_exec);
	if (!strcmp(mode, "early"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter_early);
	if (!strcmp(mode, "traceless"))
		return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter_traceless);
	/* Only asked whether there are filters, as libseccomp does. */
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1 && errno == EFAULT ? 0 : -1;
}

int main(int argc, char **argv)
{
	uint64_t burn_ns = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;
	const char *mode = argc > 2 ? argv[2] : "";
	pthread_t thread;

	work_burn(burn_ns);
	if (!strcmp(mode, "seccomp"))
		pthread_create(&thread, NULL, burn, NULL);
	while (!strcmp(mode, "seccomp") && !started)
		;
	if (enter(mode)) {
		perror(mode);
		return 1;
	}
	say("inside\n");
	if (argc > 3) {
		execv(argv[3], argv + 3);
		return 1;
	}
	for (int i = 0; i < 400; i++) /* no clock: a thread's CPU time is a system call */
		WORK(1000000);
	say("ok\n");
	if (!strcmp(mode, "strict"))
		syscall(SYS_exit, 7);
	_exit(7);
}
