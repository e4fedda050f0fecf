/*
 * threads_forks THREADS FORKS: threads start and end, eight at a time, while the first thread
 * forks children that end at once.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { together = 8, work_steps = 20000 };

static void *work(void *unused)
{
	(void)unused;
	volatile unsigned sum = 0;
	for (unsigned step = 0; step < work_steps; step++)
		sum += step;
	return NULL;
}

static void *threads_come_and_go(void *argument)
{
	long left = *(long *)argument;
	while (left > 0) {
		pthread_t threads[together];
		int started = 0;
		for (; started < together && left > 0; started++, left--)
			if (pthread_create(&threads[started], NULL, work, NULL) != 0)
				exit(1);
		while (started > 0)
			pthread_join(threads[--started], NULL);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	long threads = argc > 1 ? atol(argv[1]) : 0, forks = argc > 2 ? atol(argv[2]) : 0;
	pthread_t maker;
	if (pthread_create(&maker, NULL, threads_come_and_go, &threads) != 0)
		return 1;
	for (long done = 0; done < forks; done++) {
		pid_t child = fork();
		if (child == 0)
			_exit(0);
		int status;
		if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
			return 1;
	}
	return pthread_join(maker, NULL) != 0;
}
