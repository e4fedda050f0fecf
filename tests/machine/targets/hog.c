/* Takes counters of the PMU away from all other processes: pinned, CPU-wide.  Prints "holding
 * N", then waits.
 *   hog N */
#include <linux/perf_event.h>

#include "tests/support/libc.h"

int main(int argc, char **argv)
{
	int wanted = argc > 1 ? atoi(argv[1]) : 1, held = 0;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.pinned = 1,
	};

	while (held < wanted && syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0) >= 0)
		held++;
	printf("holding %d\n", held);
	fflush(stdout);
	for (;;)
		pause();
}
