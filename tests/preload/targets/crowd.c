/*
 * NUMBER threads, each with so many units of work: all alive at the same time, or one after the
 * other.
 *   crowd NUMBER [at-once|in-turn [WORK]]
 */
#include "tests/preload/targets/target.h"

static pthread_barrier_t together;
static uint64_t units;

static void *member(void *at_once)
{
	WORK(units);
	if (at_once)
		pthread_barrier_wait(&together);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned number = argc > 1 ? (unsigned)atoi(argv[1]) : 100, made = 0;
	bool at_once = argc < 3 || !strcmp(argv[2], "at-once");
	pthread_t *threads = calloc(number, sizeof(*threads));
	pthread_attr_t small;

	units = argc > 3 ? strtoull(argv[3], NULL, 10) : 100000;
	pthread_barrier_init(&together, NULL, number);
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (; made < number; made++) {
		if (pthread_create(&threads[made], &small, member, at_once ? &together : NULL))
			return 1;
		if (!at_once)
			pthread_join(threads[made], NULL);
	}
	join_threads(threads, at_once ? made : 0);
	printf("%u threads\n", made);
	return 0;
}
