/*
 * Replace the image by itself N times, by every member of the exec family in turn, after which
 * each image names itself; some work for longer than others.  Before each step one exec that must
 * fail: sampling must still work after it.
 *   exec_chain N
 */
#include "tests/preload/targets/target.h"

#define LONG_EVERY 97 /* has no factor in common with how often a way comes back */

extern char **environ;

static unsigned way_of(unsigned left)
{
	return left % 7 < 6 ? left % 7 : 6 + (left % 14 == 6);
}

static int step(unsigned left, char *self, char *number)
{
	char *argv[] = { self, number, NULL };

	switch (way_of(left)) {
	case 0:
		return execve(self, argv, environ);
	case 1:
		return execv(self, argv);
	case 2:
		return execvp(self, argv);
	case 3:
		return execvpe(self, argv, environ);
	case 4:
		return execl(self, self, number, (char *)NULL);
	case 5:
		return execlp(self, self, number, (char *)NULL);
	case 7:
		return execle(self, self, number, (char *)NULL, environ);
	default:
		break;
	}
	return fexecve(open(self, O_RDONLY | O_CLOEXEC), argv, environ);
}

int main(int argc, char **argv)
{
	unsigned left = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	char number[16], name[16];

	snprintf(name, sizeof(name), "way %u", way_of(left));
	prctl(PR_SET_NAME, name);
	work_burn(left % LONG_EVERY ? 1000000 : 30000000);
	if (!left) {
		puts("ok");
		return 0;
	}
	if (left % 50 == 0 &&
	    (execl("/nowhere/at/all", "x", (char *)NULL) != -1 || errno != ENOENT))
		return 3;
	snprintf(number, sizeof(number), "%u", left - 1);
	step(left, argv[0], number);
	perror("exec");
	return 4;
}
