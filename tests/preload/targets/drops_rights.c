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

static long drop(const char *way)
{
	if (!strcmp(way, "setuid"))
		return setuid(USER);
	if (!strcmp(way, "seteuid"))
		return seteuid(USER);
	if (!strcmp(way, "setreuid"))
		return setreuid(USER, USER);
	if (!strcmp(way, "setresuid"))
		return setresuid(USER, USER, USER);
	if (!strcmp(way, "capset"))
		return capset(&header, nothing);
	if (!strcmp(way, "unshare"))
		return unshare(CLONE_NEWUSER);
	if (!strcmp(way, "setns"))
		return by_setns();
	if (!strcmp(way, "refused"))
		return setuid((uid_t)-1);
	if (!strcmp(way, "SYS_setuid"))
		return syscall(SYS_setuid, USER);
	if (!strcmp(way, "SYS_setreuid"))
		return syscall(SYS_setreuid, USER, USER);
	if (!strcmp(way, "SYS_setresuid"))
		return syscall(SYS_setresuid, USER, USER, USER);
	if (!strcmp(way, "SYS_capset"))
		return syscall(SYS_capset, &header, nothing);
	if (!strcmp(way, "SYS_unshare"))
		return syscall(SYS_unshare, CLONE_NEWUSER);
	if (!strcmp(way, "past-libc")) /* so that nobody can tell beforehand */
		return raw_call(SYS_setuid, USER, 0, 0, 0);
	return -2;
}

/* The child's status is its answer: 0, or errno; 255: any other. */
static _Noreturn void work(const char *way)
{
	long answer;

	errno = 0;
	answer = drop(way);
	work_burn(cpu_ms * 1000000ULL);
	exit(!answer && !errno ? 0 : answer == -1 && errno ? errno : 255);
}

int main(int argc, char **argv)
{
	unsigned children = argc > 3 ? (unsigned)strtoul(argv[2], NULL, 10) : 0,
		 answers[256] = { 0 };

	if (argc < 4)
		return 2;
	cpu_ms = (unsigned)strtoul(argv[3], NULL, 10);
	for (unsigned i = 0; i < children; i++) {
		pid_t child = fork();

		if (!child)
			work(argv[1]);
		child = status_of(child);
		if (!WIFEXITED(child))
			return 1;
		answers[WEXITSTATUS(child)]++;
	}
	for (int i = 0; i < 256; i++)
		if (answers[i])
			printf("%d: %u\n", i, answers[i]);
	return 0;
}
