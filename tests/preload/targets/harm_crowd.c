/*
 * NUMBER threads, all at once or one after the other.
 *   harm_crowd at-once|in-turn NUMBER MICROSECONDS
 */
#include "tests/preload/targets/target.h"

static pthread_barrier_t together;
static uint64_t burn_ns;

static void *member(void *at_once)
{
	if (at_once)
		pthread_barrier_wait(&together);
	work_burn(burn_ns);
	return NULL;
}

int main(int argc, char **argv)
{
	int at_once = argc > 1 && !strcmp(argv[1], "at-once");
	int number = argc > 2 ? atoi(argv[2]) : 100, made = 0;
	pthread_t *threads = calloc((size_t)number, sizeof(*threads));
	pthread_attr_t small;

	burn_ns = (argc > 3 ? strtoull(argv[3], NULL, 10) : 100) * 1000;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	pthread_barrier_init(&together, NULL, (unsigned)number);
	for (int i = 0; i < number; i++) {
		if (pthread_create(&threads[i], &small, member, at_once ? &together : NULL))
			break;
		made++;
		if (!at_once)
			pthread_join(threads[i], NULL);
	}
	for (int i = 0; at_once && i < made; i++)
		pthread_join(threads[i], NULL);
	printf("%d threads\n", made);
	free(threads);
	return 0;
}
