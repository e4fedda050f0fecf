/*
 * Many threads alive at the same time: each works a little, waits until all are there, ends.
 *   crowd THREADS
 */
#include "tests/preload/targets/target.h"

static pthread_barrier_t all_here;
static volatile long sink;

static void *work(void *argument)
{
	(void)argument;
	for (long i = 0; i < 10000; i++)
		sink += i;
	pthread_barrier_wait(&all_here);
	return NULL;
}

int main(int argc, char **argv)
{
	long count = argc > 1 ? atol(argv[1]) : 100, made = 0;
	pthread_t *threads = calloc((size_t)count, sizeof(*threads));
	pthread_attr_t attr;

	if (!threads)
		return 1;
	pthread_barrier_init(&all_here, NULL, (unsigned)count + 1);
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (; made < count; made++)
		if (pthread_create(&threads[made], &attr, work, NULL))
			return 1;
	pthread_barrier_wait(&all_here);
	for (long i = 0; i < made; i++)
		pthread_join(threads[i], NULL);
	printf("%ld threads\n", made);
	return 0;
}
