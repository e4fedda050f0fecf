/*
 * A fixed amount of work, independent of time: MILLIONS of turns of a loop in each of THREADS
 * threads, and a system call after each 1,000.  `ready` is printed first, and `done` last.
 *   steady MILLIONS [THREADS]
 */
#include "tests/preload/targets/target.h"

#define THREADS_MAX 64

static unsigned long millions;

static void *steady(void *unused)
{
	for (unsigned long i = 0; i < millions * 1000; i++) {
		WORK(1000);
		getppid();
	}
	return unused;
}

int main(int argc, char **argv)
{
	unsigned long threads = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
	pthread_t thread[THREADS_MAX];

	millions = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	if (threads > THREADS_MAX)
		return 2;
	puts("ready");
	fflush(stdout);
	for (unsigned long i = 1; i < threads; i++)
		if (pthread_create(&thread[i], NULL, steady, NULL))
			return 3;
	steady(NULL);
	for (unsigned long i = 1; i < threads; i++)
		pthread_join(thread[i], NULL);
	puts("done");
	return 0;
}
