/* Work for CPU_MILLISECONDS, print that, then allocate memory until the process is killed.
 * Gives up after a while.
 *   harm_memory CPU_MILLISECONDS */
#include "tests/preload/targets/target.h"

#define BYTES	  (1UL << 20)
#define MEGABYTES 4096

int main(int argc, char **argv)
{
	work_burn((argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000);
	if (write(STDOUT_FILENO, "worked\n", 7) != 7)
		return 1;
	for (unsigned i = 0; i < MEGABYTES; i++) {
		char *memory = map_memory(BYTES, PROT_READ | PROT_WRITE);

		if (memory == MAP_FAILED)
			return 2;
		memset(memory, 1, BYTES);
	}
	return 3;
}
