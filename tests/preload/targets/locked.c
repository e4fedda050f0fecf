/*
 * Lock all memory, then work.  Prints the result and, with "count", the number of locked
 * kilobytes.
 *   locked MILLISECONDS [count]
 */
#include "tests/preload/targets/target.h"

static void print_locked(void)
{
	FILE *file = fopen("/proc/self/status", "r");
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmLck:", 6))
			fputs(line, stdout);
}

int main(int argc, char **argv)
{
	uint64_t burn_ns = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;
	int result;

	work_burn(burn_ns);
	errno = 0;
	result = mlockall(MCL_CURRENT);
	printf("%d, %s\n", result, strerror(errno));
	if (argc > 2)
		print_locked();
	work_burn(burn_ns);
	return 7;
}
