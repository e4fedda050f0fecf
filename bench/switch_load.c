/* 16 threads on one processor that yield it to each other all the time.  switch_load NUMBER
 * FILE: each thread yields NUMBER times.  Writes the system time in seconds to FILE. */
#define THREADS 16

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

static int number;

static void *leave(void *argument)
{
	for (int i = 0; i < number; i++)
		sched_yield();
	return argument;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	struct rusage usage;
	cpu_set_t all, one;
	FILE *file;

	if (argc != 3 || sched_getaffinity(0, sizeof(all), &all))
		return 1;
	number = atoi(argv[1]);
	CPU_ZERO(&one);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && !CPU_COUNT(&one); cpu++)
		if (CPU_ISSET(cpu, &all))
			CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, leave, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	getrusage(RUSAGE_SELF, &usage);
	file = fopen(argv[2], "w");
	if (!file)
		return 1;
	fprintf(file, "%.6f\n",
		(double)usage.ru_stime.tv_sec + (double)usage.ru_stime.tv_usec / 1e6);
	return fclose(file) != 0;
}
