/* A typical server: root first, then user and group UID, then work.  The work is done for
 * CPU_MILLISECONDS by a program that the process becomes, or by a forked child.
 *   gives_up_root UID exec|fork CPU_MILLISECONDS */
#include <grp.h>

#include "tests/preload/targets/target.h"

BURNS(serve_here)

static int give_up_root(unsigned user)
{
	return setgroups(0, NULL) || setgid(user) || setuid(user);
}

static int serve_in_child(unsigned user, uint64_t work_ns)
{
	pid_t child = fork();

	if (child == 0) {
		if (give_up_root(user))
			_exit(1);
		serve_here(work_ns);
		exit(7);
	}
	child = status_of(child);
	return WIFEXITED(child) ? WEXITSTATUS(child) : 1;
}

int main(int argc, char **argv)
{
	unsigned user = argc > 3 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	uint64_t work_ns = argc > 3 ? strtoull(argv[3], NULL, 10) * 1000000 : 0;

	if (argc < 4)
		return 2;
	if (!strcmp(argv[2], "fork"))
		return serve_in_child(user, work_ns);
	if (getuid() == user) {
		serve_here(work_ns);
		printf("%u\n", getuid());
		return 7;
	}
	if (give_up_root(user))
		return 1;
	execv("/proc/self/exe", argv);
	return 1;
}
