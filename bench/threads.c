/* Threads made and joined, one after another.  threads NUMBER; prints nanoseconds per thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static void *nothing(void *argument)
{
	return argument;
}

int main(int argc, char **argv)
{
	int number = argc > 1 ? atoi(argv[1]) : 1000;
	struct timespec start, end;

	clock_gettime(CLOCK_MONOTONIC, &start);
	for (int i = 0; i < number; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, nothing, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.1f\n",
	       ((double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec)) /
		       number);
	return 0;
}
