/* Burn CPU time in burn_here for CPU_MILLISECONDS.  With a second argument, end in that way.
 *   burn CPU_MILLISECONDS [_exit|_Exit|quick_exit|abort|forever] */
#include "tests/preload/targets/target.h"

__attribute__((noinline)) static void burn_here(uint64_t burn_ns)
{
	work_burn(burn_ns);
	WORK_KEEP(1);
}

int main(int argc, char **argv)
{
	uint64_t burn_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000;
	const char *leave = argc > 2 ? argv[2] : "";

	burn_here(burn_ns);
	puts("ok");
	fflush(stdout);
	while (!strcmp(leave, "forever"))
		burn_here(burn_ns);
	if (!strcmp(leave, "_exit"))
		_exit(7);
	if (!strcmp(leave, "_Exit"))
		_Exit(7);
	if (!strcmp(leave, "quick_exit"))
		quick_exit(7);
	if (!strcmp(leave, "abort"))
		abort();
	return 7;
}
