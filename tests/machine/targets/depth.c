/*
 * depth FRAMES ROUNDS: the same loop at the end of a chain of FRAMES calls.  Prints the user-side
 * instructions from before the chain to after it, by a counter of the program's own.  With a
 * profiler in the process these include the handler's: the difference is its cost.
 */
#include <linux/perf_event.h>

#include "tests/machine/targets/spin.h"
#include "tests/support/libc.h"

SPIN_FUNCTION void descend(unsigned frames, unsigned long instructions)
{
	if (frames > 1)
		descend(frames - 1, instructions);
	else
		spin(instructions);
	SPIN_STAY();
}

static int open_counter(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	uint64_t before;
	uint64_t after;
	int fd;

	if (argc != 3)
		return 2;
	fd = open_counter();
	if (fd < 0) {
		perror("depth: perf_event_open");
		return 1;
	}
	if (read(fd, &before, sizeof(before)) != sizeof(before))
		return 1;
	descend((unsigned)atoi(argv[1]), strtoul(argv[2], NULL, 10));
	if (read(fd, &after, sizeof(after)) != sizeof(after))
		return 1;
	printf("instructions %llu\n", (unsigned long long)(after - before));
	return 0;
}
