/*
 * Give up nearly all system calls, then work on.  Any other call kills the process.
 *   harm_sandbox MILLISECONDS strict|filter|seccomp|refused|asked|exec|early|traceless [PROGRAM]
 *   harm_sandbox MILLISECONDS landlock     give up all files instead, by landlock(7), as xz does
 * Ends with 7, or with 77 where the kernel has no such sandbox.
 */
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>

#include "tests/preload/targets/target.h"

#define RETURN(action)	 BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_##action)
#define IF(call, action) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), RETURN(action)
#define FILTER(name, ...)                                                               \
	static struct sock_filter name##_code[] = {                                     \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),  \
		__VA_ARGS__,                                                            \
	};                                                                              \
	static struct sock_fprog name = { sizeof(name##_code) / sizeof(name##_code[0]), \
					  name##_code }

FILTER(filter, IF(write, ALLOW), IF(exit_group, ALLOW), IF(rt_sigreturn, ALLOW),
       RETURN(KILL_PROCESS));

/* For a program that is started inside: all but what only a profiler calls. */
FILTER(filter_for_exec, IF(perf_event_open, KILL_PROCESS), IF(timer_create, KILL_PROCESS),
       RETURN(ALLOW));

/* The same with what a preloaded library may call before it looks where it is. */
FILTER(filter_early, IF(prctl, KILL_PROCESS), IF(uname, KILL_PROCESS), IF(readlinkat, KILL_PROCESS),
       IF(faccessat, KILL_PROCESS), IF(getsid, KILL_PROCESS), RETURN(ALLOW));

/* All but what debuggers call. */
FILTER(filter_traceless, IF(ptrace, KILL_PROCESS), RETURN(ALLOW));

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

static long give_up_files(void)
{
	struct landlock_ruleset_attr all = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |
				     LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR |
				     LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG
	};
	long rules = syscall(SYS_landlock_create_ruleset, &all, sizeof(all), 0);

	return rules < 0 ? rules : syscall(SYS_landlock_restrict_self, rules, 0);
}

static int enter(const char *mode)
{
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (!strcmp(mode, "landlock"))
		return (int)give_up_files();
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
		return 77;
	}
	say("inside\n");
	if (!strcmp(mode, "landlock")) {
		work_burn(burn_ns);
		return 7;
	}
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
