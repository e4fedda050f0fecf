/*
 * Replace the image by itself N times, by every member of the exec family in turn, after which
 * each image names itself; some work for longer than others.  Before each step one exec that must
 * fail: sampling must still work after it.
 *   exec_chain N
 */
#include "tests/preload/targets/exec_ways.h"
#include "tests/preload/targets/target.h"

#define LONG_EVERY 97 /* has no factor in common with how often a way comes back */

int main(int argc, char **argv)
{
	unsigned left = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 0;
	char number[16], name[16], *again[] = { argv[0], number, NULL };
	unsigned way = left % COUNT(exec_ways);

	snprintf(name, sizeof(name), "way %u", way);
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
	exec_by(way, argv[0], again);
	perror("exec");
	return 4;
}
