/*
 * A fixed amount of work in stacks of about thirty frames, in one thread or several.
 *   work MILLIONS_OF_TURNS THREADS
 * Prints the CPU time of the process in microseconds: its own, and the kernel's for it.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "tests/preload/targets/work.h"

#define SLICE	 20000
#define FRAMES	 25
#define MANY_MAX 64

static uint64_t turns;

static void leaf(unsigned kind)
{
	if (kind % 2)
		WORK(SLICE);
	else
		WORK(SLICE + 1);
}

__attribute__((noinline)) static void descend(volatile unsigned depth, unsigned kind)
{
	if (depth)
		descend(depth - 1, kind / 2);
	else
		leaf(kind);
	WORK_KEEP(1);
}

static void *work(void *argument)
{
	for (uint64_t done = 0; done < turns; done += SLICE)
		descend(FRAMES, (unsigned)(done / SLICE));
	return argument;
}

int main(int argc, char **argv)
{
	unsigned many = argc > 2 ? (unsigned)atoi(argv[2]) : 1;
	pthread_t threads[MANY_MAX];
	struct rusage usage;

	turns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000;
	for (unsigned i = 1; i < many && i < MANY_MAX; i++)
		if (pthread_create(&threads[i], NULL, work, NULL))
			return 1;
	work(NULL);
	for (unsigned i = 1; i < many && i < MANY_MAX; i++)
		pthread_join(threads[i], NULL);
	getrusage(RUSAGE_SELF, &usage);
	printf("%lld\n", (long long)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000000 +
				 usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
	return 0;
}
