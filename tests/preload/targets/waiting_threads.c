/* Two threads that leave the processor very often.
 *   waiting_threads sleep NUMBER MICROSECONDS     each sleeps so often, so long, in nap
 *   waiting_threads pipe NUMBER                   they pass a byte to and fro in pass
 * Prints the number of context switches of all threads since they began, the time that naps took,
 * and how long the longest quarter of them took. */
#include "tests/preload/targets/target.h"

static int pipes[2][2];
static unsigned number;
static long sleep_ns;
static _Atomic uint64_t napped_ns;
static uint64_t *naps_ns;
static _Atomic unsigned naps;

__attribute__((noinline)) static void nap(void)
{
	struct timespec time = { .tv_nsec = sleep_ns };
	uint64_t start_ns = work_cpu_ns(CLOCK_MONOTONIC), nap_ns;

	nanosleep(&time, NULL);
	nap_ns = work_cpu_ns(CLOCK_MONOTONIC) - start_ns;
	napped_ns += nap_ns;
	naps_ns[naps++] = nap_ns;
}

static int longer_first(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return (a < b) - (a > b);
}

static uint64_t longest_quarter_ns(void)
{
	uint64_t sum_ns = 0;

	qsort(naps_ns, naps, sizeof(*naps_ns), longer_first);
	for (unsigned i = 0; i < naps / 4; i++)
		sum_ns += naps_ns[i];
	return sum_ns;
}

__attribute__((noinline)) static void pass(int from, int to)
{
	char byte = 0;

	if (write(to, &byte, 1) != 1 || read(from, &byte, 1) != 1)
		abort();
}

static void *run(void *argument)
{
	int *ends = argument;

	for (unsigned i = 0; i < number; i++) {
		if (sleep_ns)
			nap();
		else
			pass(ends[0], ends[1]);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int first[2], second[2];
	long before = switches_of(RUSAGE_SELF), all;
	pthread_t thread;

	if (argc < 3 || pipe(pipes[0]) || pipe(pipes[1]))
		return 2;
	number = (unsigned)atoi(argv[2]);
	naps_ns = calloc(2 * (size_t)number, sizeof(*naps_ns));
	if (!naps_ns)
		return 2;
	if (argc > 3)
		sleep_ns = atol(argv[3]) * 1000;
	first[0] = pipes[0][0];
	first[1] = pipes[1][1];
	second[0] = pipes[1][0];
	second[1] = pipes[0][1];
	pthread_create(&thread, NULL, run, second);
	run(first);
	pthread_join(thread, NULL);
	all = switches_of(RUSAGE_SELF) - before;
	printf("%ld %llu %llu\n", all, (unsigned long long)napped_ns,
	       (unsigned long long)longest_quarter_ns());
	free(naps_ns);
	return 0;
}
