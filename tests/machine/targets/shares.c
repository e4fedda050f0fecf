/*
 * 60,000,000 instructions: three quarters in one function, the rest in another.  With an argument,
 * that number of threads do the same work each.
 */
#include "tests/machine/targets/spin.h"
#include "tests/support/libc.h"

#define THREADS_MAX 16

SPIN_FUNCTION void heavy_work(void)
{
	spin(45000000);
}

SPIN_FUNCTION void light_work(void)
{
	spin(15000000);
}

SPIN_FUNCTION void inner_caller(void)
{
	heavy_work();
	light_work();
	SPIN_STAY();
}

SPIN_FUNCTION void outer_caller(void)
{
	inner_caller();
	SPIN_STAY();
}

static void *thread_main(void *unused)
{
	outer_caller();
	return unused;
}

static int start_all(unsigned count)
{
	pthread_t thread[THREADS_MAX];

	for (unsigned i = 0; i < count; i++)
		if (pthread_create(&thread[i], NULL, thread_main, NULL))
			return 1;
	for (unsigned i = 0; i < count; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

int main(int argc, char **argv)
{
	int threads = argc > 1 ? atoi(argv[1]) : 0;

	if (threads < 0 || threads > THREADS_MAX)
		return 2;
	if (threads) {
		if (start_all((unsigned)threads))
			return 1;
	} else {
		outer_caller();
	}
	puts("worked");
	return 0;
}
