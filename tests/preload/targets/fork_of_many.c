/*
 * A process of many sleeping threads forks.  It prints the minor faults of a child that ends at
 * once.  With a second argument, the child burns that many milliseconds in each of two threads.
 * 	fork_of_many THREADS [MILLISECONDS]
 */
#include "tests/preload/targets/target.h"

static pthread_barrier_t barrier;
static uint64_t burn_ns;

static void *sleeper(void *unused)
{
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

__attribute__((noinline)) static void *child_work(void *unused)
{
	work_burn(burn_ns);
	WORK_KEEP(1);
	return unused;
}

static int child(void)
{
	pthread_t thread[2];

	if (!burn_ns)
		return 0;
	for (int i = 0; i < 2; i++)
		if (pthread_create(&thread[i], NULL, child_work, NULL))
			return 1;
	for (int i = 0; i < 2; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	int threads = atoi(argv[1]), status = 1;
	pthread_t *thread = calloc((size_t)threads, sizeof(*thread));
	struct rusage usage;
	pid_t pid;

	burn_ns = argc > 2 ? strtoull(argv[2], NULL, 10) * 1000000 : 0;
	pthread_barrier_init(&barrier, NULL, (unsigned)threads + 1);
	for (int i = 0; i < threads; i++)
		if (pthread_create(&thread[i], NULL, sleeper, NULL))
			return 2;
	pthread_barrier_wait(&barrier);
	pid = fork();
	if (!pid)
		_exit(child());
	if (waitpid(pid, &status, 0) != pid || status)
		return 3;
	getrusage(RUSAGE_CHILDREN, &usage);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	printf("%ld\n", usage.ru_minflt);
	return 0;
}
