/*
 * Ever-new stacks: each round takes another way down through two functions, so that nearly
 * every sample is a new context, for which the profiler must store more and more.
 *   harm_contexts MILLISECONDS [PAGES]
 * Prints "ok".  With PAGES the program unmaps so much memory before and relies on the gap: nothing
 * may be mapped into it.  It then prints "empty", or the number of mapped pages in the gap.
 */
#include "tests/preload/targets/target.h"

#define PAGE  4096
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

static char *make_gap(size_t pages)
{
	char *gap;

	puts("gap"); /* what stdio maps is there before */
	gap = map_memory(pages * PAGE, PROT_NONE);
	if (gap == MAP_FAILED || munmap(gap, pages * PAGE))
		exit(1);
	return gap;
}

static void show_gap(char *gap, size_t pages)
{
	unsigned char resident;
	unsigned mapped = 0;

	for (size_t i = 0; i < pages; i++)
		mapped += !mincore(gap + i * PAGE, PAGE, &resident);
	if (mapped)
		printf("%u pages are mapped\n", mapped);
	else
		puts("empty");
}

int main(int argc, char **argv)
{
	uint64_t burn_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000) * 1000000;
	size_t pages = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
	char *gap = pages ? make_gap(pages) : NULL;
	uint64_t end_ns = work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) + burn_ns;

	while (work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns) {
		way = way * 6364136223846793005U + 1442695040888963407U;
		for (int i = 0; i < 20; i++)
			next(DEPTH);
	}
	if (pages)
		show_gap(gap, pages);
	else
		puts("ok");
	return 0;
}
