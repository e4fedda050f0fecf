/*
 * Page faults at a known stack depth.  They can be produced one by one, so that the cost of a
 * sample is measured without the noise of a clock.
 *   faults DEPTH NUMBER [empty]     "empty" takes each fault as a signal and does nothing
 * Prints nanoseconds of CPU time per fault.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "bench/floor.h"

#define PAGE_BYTES FLOOR_PAGE_BYTES
#define PAGES	   256UL

__attribute__((noinline)) static void fault(volatile void *memory, unsigned long number)
{
	volatile char *pages = memory;

	for (unsigned long i = 0; i < number; i++)
		pages[i * PAGE_BYTES] = 1;
}

int main(int argc, char **argv)
{
	volatile unsigned depth = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
	unsigned long number = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000, left;
	struct timespec start, end;
	uint64_t spent_ns = 0;
	char *pages;
	int err;

	pages = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	err = argc > 3 ? floor_start(PERF_COUNT_SW_PAGE_FAULTS, 1) : 0;
	if (err) {
		fprintf(stderr, "perf_event_open: %s\n", strerror(-err));
		return 1;
	}
	for (left = number; left; left -= left < PAGES ? left : PAGES) {
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
		floor_descend(depth, fault, pages, left < PAGES ? left : PAGES);
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
		spent_ns += (uint64_t)(end.tv_sec - start.tv_sec) * 1000000000 +
			    (uint64_t)(end.tv_nsec - start.tv_nsec);
		madvise(pages, PAGES * PAGE_BYTES, MADV_DONTNEED);
	}
	if (argc > 3 && floor_taken < number)
		return 2;
	printf("%.1f\n", (double)spent_ns / (double)number);
	return 0;
}
