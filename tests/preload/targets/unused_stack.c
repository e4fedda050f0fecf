/* Prints the number of pages that a thread has in the lower half of its stack while it works
 * high up on it.
 *   unused_stack MILLISECONDS */
#include "tests/preload/targets/target.h"

#define STACK_BYTES (256UL << 10) /* too small for a huge page */
#define PAGE_BYTES  4096UL

static uint64_t burn_ns;

static void *work(void *argument)
{
	unsigned char resident[STACK_BYTES / 2 / PAGE_BYTES] = { 0 };
	pthread_attr_t own;
	unsigned pages = 0;
	size_t size;
	void *low;

	work_burn(burn_ns);
	pthread_getattr_np(pthread_self(), &own);
	pthread_attr_getstack(&own, &low, &size);
	pthread_attr_destroy(&own);
	if (mincore(low, sizeof(resident) * PAGE_BYTES, resident))
		exit(4);
	for (unsigned i = 0; i < sizeof(resident); i++)
		pages += resident[i] & 1;
	printf("%u\n", pages);
	return argument;
}

int main(int argc, char **argv)
{
	pthread_attr_t small;
	pthread_t thread;

	burn_ns = argc > 1 ? strtoull(argv[1], NULL, 10) * 1000000 : 0;
	pthread_attr_init(&small);
	if (pthread_attr_setstacksize(&small, STACK_BYTES))
		return 2;
	for (int i = 0; i < 3; i++) {
		if (pthread_create(&thread, &small, work, NULL))
			return 3;
		pthread_join(thread, NULL);
	}
	return 0;
}
