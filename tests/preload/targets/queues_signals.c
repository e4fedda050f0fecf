/* THREADS threads sleep very often.  Meanwhile main queues a blocked signal until the kernel
 * refuses, and prints how many there was room for. */
#include "tests/preload/targets/target.h"

#define THREADS_MAX 64
#define PLENTY	    10000
#define NAPS	    3000

static atomic_int napped, stop;

static void *nap(void *unused)
{
	const struct timespec shortly = { .tv_nsec = 1000 };

	for (int i = 0; !stop; i++) {
		nanosleep(&shortly, NULL);
		if (i == NAPS)
			napped++;
	}
	return unused;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 0, queued = 0;
	pthread_t id[THREADS_MAX];
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 5);
	sigprocmask(SIG_BLOCK, &set, NULL);
	for (int i = 0; i < threads && i < THREADS_MAX; i++)
		if (pthread_create(&id[i], NULL, nap, NULL))
			return 2;
	while (napped < threads)
		usleep(1000);
	while (queued < PLENTY && !sigqueue(getpid(), SIGRTMIN + 5, (union sigval){ 0 }))
		queued++;
	stop = 1;
	for (int i = 0; i < threads && i < THREADS_MAX; i++)
		pthread_join(id[i], NULL);
	printf("%d\n", queued);
	_exit(fflush(stdout));
}
