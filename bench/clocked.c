/*
 * A given amount of work at a known stack depth, and the CPU time that it took as its user sees
 * it.
 *   clocked DEPTH ROUNDS [PERIOD_NS]     PERIOD_NS: a signal each period; its handler does nothing
 * Prints nanoseconds (getrusage(2), user and system) and the number of signals.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "bench/floor.h"

#define SWEEP (64 * 1024) /* bytes: pushes the handler's lines out of the nearest cache */

static uint64_t cpu_ns(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000000 +
	       (uint64_t)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1000;
}

__attribute__((noinline)) static void work(volatile void *bytes, unsigned long rounds)
{
	volatile uint64_t *memory = bytes;

	while (rounds--)
		for (unsigned i = 0; i < SWEEP / sizeof(*memory); i += 8)
			memory[i] += rounds;
}

int main(int argc, char **argv)
{
	static uint64_t memory[SWEEP / sizeof(uint64_t)];
	volatile unsigned depth = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 100000;
	int err = argc > 3 ? floor_start(PERF_COUNT_SW_TASK_CLOCK, strtoull(argv[3], NULL, 10)) : 0;
	uint64_t start_ns;

	if (err) {
		fprintf(stderr, "perf_event_open: %s\n", strerror(-err));
		return 1;
	}
	work(memory, 100);
	start_ns = cpu_ns();
	floor_descend(depth, work, memory, rounds);
	printf("%lu %lu\n", (unsigned long)(cpu_ns() - start_ns), (unsigned long)floor_taken);
	return 0;
}
