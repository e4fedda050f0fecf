/* THREADS threads, one after the other: each does WORK_A in alpha, then WORK_B in beta.  "time": us
 * of its CPU time; "faults": fresh pages.  Prints the CPU time of the process in ns.
 *   brief_threads time THREADS WORK_A WORK_B MS
 * has a last thread, of MS of CPU time, and prints the timers of the process as that began and
 * ended; -1 where the kernel does not tell. */
#include "tests/preload/targets/target.h"

#define PAGE_BYTES 4096L

static char *pages; /* NULL: time */
static long work_a, work_b;

static void work(long first, long amount)
{
	uint64_t end_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)amount * 1000;

	if (pages)
		for (long i = first; i < first + amount; i++)
			*(volatile char *)(pages + i * PAGE_BYTES) = 1;
	else
		while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
			;
}

__attribute__((noipa)) static void alpha(void)
{
	work(0, work_a);
	__asm__ volatile("");
}

__attribute__((noipa)) static void beta(void)
{
	work(work_a, work_b);
	__asm__ volatile("");
}

static void *thread(void *unused)
{
	alpha();
	beta();
	return unused;
}

__attribute__((noipa)) static void gamma_(long ms)
{
	uint64_t end_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * 1000000;

	while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

static void *last(void *ms)
{
	int began = timers_count();

	gamma_(*(long *)ms);
	printf("%d %d\n", began, timers_count());
	return NULL;
}

int main(int argc, char **argv)
{
	int threads = argc > 4 ? atoi(argv[2]) : 0;
	bool faults = threads && !strcmp(argv[1], "faults");
	size_t bytes;
	long last_ms;

	if (!threads)
		return 2;
	work_a = atol(argv[3]);
	work_b = atol(argv[4]);
	bytes = (size_t)((work_a + work_b) * PAGE_BYTES);
	for (int i = 0; i < threads; i++) {
		if (faults) {
			pages = map_memory(bytes, PROT_READ | PROT_WRITE);
			madvise(pages, bytes, MADV_NOHUGEPAGE);
		}
		run_threads(1, thread, NULL);
		if (faults)
			munmap(pages, bytes);
	}
	if (argc > 5) {
		last_ms = atol(argv[5]);
		run_threads(1, last, &last_ms);
	}
	printf("%llu\n", (unsigned long long)work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
