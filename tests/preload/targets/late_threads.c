/* Three threads that each sleep 100 ms, started as user UID if that is given.
 *   late_threads [UID] */
#include "tests/preload/targets/target.h"

#define THREADS 3

static void *sleep_here(void *unused)
{
	const struct timespec nap = { .tv_nsec = 100000000 };

	nanosleep(&nap, NULL);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	if (argc > 1 && setuid((uid_t)strtoul(argv[1], NULL, 10)))
		return 1;
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, sleep_here, NULL))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	puts("ok");
	return 0;
}
