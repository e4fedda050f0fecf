/* THREADS threads, one after the other: each does WORK_A in alpha, then WORK_B in beta.  "time": us
 * of its CPU time; "faults": fresh pages.  Prints the CPU time of the process in ns.
 *   brief_threads time THREADS WORK_A WORK_B MS
 * has a last thread, of MS of CPU time, and prints the timers of the process as that began and
 * ended; -1 where the kernel does not tell. */
#include "tests/preload/targets/timers.h"

#define PAGE_BYTES 4096L

static char *pages; /* NULL: time */
static long work_a, work_b;

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void work(long first, long amount)
{
	uint64_t end_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)amount * 1000;

	if (pages)
		for (long i = first; i < first + amount; i++)
			*(volatile char *)(pages + i * PAGE_BYTES) = 1;
	else
		while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
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
	uint64_t end_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) + (uint64_t)ms * 1000000;

	while (now_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

static void *last(void *ms)
{
	int began = timers_count();

	gamma_(*(long *)ms);
	printf("%d %d\n", began, timers_count());
	return NULL;
}

static bool run_last(long ms)
{
	pthread_t id;

	return !pthread_create(&id, NULL, last, &ms) && !pthread_join(id, NULL);
}

int main(int argc, char **argv)
{
	int threads = argc > 4 ? atoi(argv[2]) : 0;
	bool faults = threads && !strcmp(argv[1], "faults");
	size_t bytes;

	if (!threads)
		return 2;
	work_a = atol(argv[3]);
	work_b = atol(argv[4]);
	bytes = (size_t)((work_a + work_b) * PAGE_BYTES);
	for (int i = 0; i < threads; i++) {
		pthread_t id;

		if (faults) {
			pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
				     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			madvise(pages, bytes, MADV_NOHUGEPAGE);
		}
		if (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL))
			return 1;
		if (faults)
			munmap(pages, bytes);
	}
	if (argc > 5 && !run_last(atol(argv[5])))
		return 1;
	printf("%llu\n", (unsigned long long)now_ns(CLOCK_PROCESS_CPUTIME_ID));
	return 0;
}
