/* A server's workers: CHILDREN forked children, one after another, that each give up root's rights
 * in one way and then burn CPU_MILLISECONDS.  Prints what the call answered in how many of them.
 *   drops_rights WAY CHILDREN CPU_MILLISECONDS */
#include <linux/capability.h>

#include "tests/preload/targets/raw_call.h"
#include "tests/preload/targets/target.h"

/* libcap declares it; libc only has it. */
int capset(void *, const void *);

#define USER 65534U

static struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
static const struct __user_cap_data_struct nothing[_LINUX_CAPABILITY_U32S_3];
static unsigned cpu_ms;

static long by_setuid(void)
{
	return setuid(USER);
}

static long by_seteuid(void)
{
	return seteuid(USER);
}

static long by_setreuid(void)
{
	return setreuid(USER, USER);
}

static long by_setresuid(void)
{
	return setresuid(USER, USER, USER);
}

static long by_capset(void)
{
	return capset(&header, nothing);
}

static long by_unshare(void)
{
	return unshare(CLONE_NEWUSER);
}

/* Into the namespace of a child. */
static long by_setns(void)
{
	int ready[2], fd = -1;
	char path[64];
	pid_t child;
	long answer;

	if (pipe(ready))
		return -2;
	child = (pid_t)raw_call(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0);
	if (!child) {
		raw_call(SYS_close, ready[1], 0, 0, 0);
		raw_call(SYS_read, ready[0], (long)path, 1, 0);
		raw_call(SYS_exit, 0, 0, 0, 0);
	}
	snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)child);
	fd = open(path, O_RDONLY);
	answer = setns(fd, CLONE_NEWUSER);
	close(fd);
	close(ready[0]);
	close(ready[1]);
	waitpid(child, NULL, 0);
	return answer;
}

static long refused(void)
{
	return setuid((uid_t)-1);
}

static long setuid_by_number(void)
{
	return syscall(SYS_setuid, USER);
}

static long setreuid_by_number(void)
{
	return syscall(SYS_setreuid, USER, USER);
}

static long setresuid_by_number(void)
{
	return syscall(SYS_setresuid, USER, USER, USER);
}

static long capset_by_number(void)
{
	return syscall(SYS_capset, &header, nothing);
}

static long unshare_by_number(void)
{
	return syscall(SYS_unshare, CLONE_NEWUSER);
}

/* So that nobody can tell beforehand. */
static long past_libc(void)
{
	return raw_call(SYS_setuid, USER, 0, 0, 0);
}

static const struct {
	const char *name;
	long (*drop)(void);
} ways[] = {
	{ "setuid", by_setuid },
	{ "seteuid", by_seteuid },
	{ "setreuid", by_setreuid },
	{ "setresuid", by_setresuid },
	{ "capset", by_capset },
	{ "unshare", by_unshare },
	{ "setns", by_setns },
	{ "refused", refused },
	{ "SYS_setuid", setuid_by_number },
	{ "SYS_setreuid", setreuid_by_number },
	{ "SYS_setresuid", setresuid_by_number },
	{ "SYS_capset", capset_by_number },
	{ "SYS_unshare", unshare_by_number },
	{ "past-libc", past_libc },
};

/* The child's status is its answer: 0, or errno; 255: any other. */
static _Noreturn void work(long (*drop)(void))
{
	long answer;

	errno = 0;
	answer = drop();
	work_burn(cpu_ms * 1000000ULL);
	exit(!answer && !errno ? 0 : answer == -1 && errno ? errno : 255);
}

int main(int argc, char **argv)
{
	unsigned children = argc > 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0,
		 answers[256] = { 0 };
	long (*drop)(void) = NULL;

	for (size_t i = 0; argc > 3 && i < COUNT(ways); i++)
		if (!strcmp(ways[i].name, argv[1]))
			drop = ways[i].drop;
	if (!drop)
		return 2;
	cpu_ms = (unsigned)strtoul(argv[3], NULL, 10);
	for (unsigned i = 0; i < children; i++) {
		pid_t child = fork();
		int status;

		if (!child)
			work(drop);
		if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
			return 1;
		answers[WEXITSTATUS(status)]++;
	}
	for (int i = 0; i < 256; i++)
		if (answers[i])
			printf("%d: %u\n", i, answers[i]);
	return 0;
}
