/* MILLIONS of turns of one loop without a system call.
 *   harm_loop MILLIONS */
#include "tests/preload/targets/target.h"

int main(int argc, char **argv)
{
	uint64_t turns = strtoull(argc > 1 ? argv[1] : "1", NULL, 10) * 1000000;

	for (volatile uint64_t i = 0; i < turns; i++)
		;
	return 7;
}
