/* Burn CPU time in burn_here, then execute another program.
 *   gives_way CPU_MILLISECONDS PROGRAM [ARGUMENT…] */
#include "tests/preload/targets/target.h"

__attribute__((noinline)) static void burn_here(uint64_t burn_ns)
{
	work_burn(burn_ns);
	WORK_KEEP(1);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	burn_here(strtoull(argv[1], NULL, 10) * 1000000);
	execv(argv[2], argv + 2);
	perror(argv[2]);
	return 1;
}
