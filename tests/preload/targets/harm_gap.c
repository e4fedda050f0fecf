/*
 * A program of one thread that unmaps memory and relies on the gap: nothing may be mapped into it.
 * Meanwhile it has ever-new stacks, for which the profiler must store more and more.
 *   harm_gap PAGES MILLISECONDS
 * Prints "empty", or the number of mapped pages in the gap.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "tests/preload/targets/work.h"

#define PAGE  4096
#define DEPTH 40

static uint64_t way;

static void left(int depth);
static void right(int depth);

static void next(int depth)
{
	if (!depth)
		WORK(200);
	else if (way >> depth & 1)
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
	size_t pages = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	uint64_t end_ns = (argc > 2 ? strtoull(argv[2], NULL, 10) : 100) * 1000000;
	unsigned mapped = 0;
	unsigned char resident;
	char *gap;

	puts("gap"); /* what stdio maps is there before */
	gap = mmap(NULL, pages * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (gap == MAP_FAILED || munmap(gap, pages * PAGE))
		return 1;
	for (end_ns += work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	     work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns;) {
		way = way * 6364136223846793005U + 1442695040888963407U;
		next(DEPTH);
	}
	for (size_t i = 0; i < pages; i++)
		mapped += !mincore(gap + i * PAGE, PAGE, &resident);
	if (mapped)
		printf("%u pages are mapped\n", mapped);
	else
		puts("empty");
	return 0;
}
