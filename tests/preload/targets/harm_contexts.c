/*
 * Ever-new stacks: each round takes another way down through two functions, so that nearly
 * every sample is a new context.
 *   harm_contexts MILLISECONDS
 */
#include <stdio.h>
#include <stdlib.h>

#include "tests/preload/targets/work.h"

#define DEPTH 40

static uint64_t way;

static void left(int depth);
static void right(int depth);

static void next(int depth)
{
	if (!depth)
		WORK(200);
	else if (way >> (depth % 64) & 1)
		left(depth - 1);
	else
		right(depth - 1);
}

__attribute__((noinline)) static void left(int depth)
{
	next(depth);
	WORK_KEEP(1);
}

__attribute__((noinline)) static void right(int depth)
{
	next(depth);
	WORK_KEEP(2);
}

int main(int argc, char **argv)
{
	uint64_t burn_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000) * 1000000;
	uint64_t end_ns = work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) + burn_ns;

	while (work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns) {
		way = way * 6364136223846793005U + 1442695040888963407U;
		for (int i = 0; i < 20; i++)
			next(DEPTH);
	}
	puts("ok");
	return 0;
}
