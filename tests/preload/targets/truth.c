/*
 * Several threads do known shares of the same work in several functions of three objects.
 * Work goes round in small slices, so that a machine that slows down slows all functions.
 * Prints "FUNCTION UNITS" per function, then "thread NAME CPU_NANOSECONDS" per thread: threads
 * share processors with strangers, so equal work need not be equal time.
 *   truth CPU_MILLISECONDS
 */
#include "tests/preload/targets/target.h"

#define SLICE	20000
#define THREADS 4

void truth_a_one(uint64_t units);
void truth_a_via_b(uint64_t units, void (*next)(uint64_t));
void truth_b_one(uint64_t units);
void truth_b_outer(uint64_t units);

static volatile unsigned deep = 40; /* keeps the compiler from knowing */

struct share {
	uint64_t a_one, a_via_b, b_one, b_static, main_one, main_deep;
};

struct worker {
	pthread_t thread;
	unsigned index;
	uint64_t cpu_ns;  /* to use */
	uint64_t used_ns; /* in the end */
	struct share done;
};

__attribute__((noinline)) static void truth_main_one(uint64_t units)
{
	WORK(units);
	WORK_KEEP(1);
}

void truth_main_deep(unsigned depth, uint64_t units);

__attribute__((noinline)) void truth_main_deep(unsigned depth, uint64_t units)
{
	if (depth)
		truth_main_deep(depth - 1, units);
	else
		WORK(units);
	WORK_KEEP(2);
}

__attribute__((noinline)) static void round_of(unsigned index, struct share *done)
{
	uint64_t even = index % 2 ? SLICE : 3 * SLICE;

	truth_a_one(4 * SLICE);
	done->a_one += 4 * SLICE;
	truth_a_via_b(even, truth_b_one);
	done->a_via_b += even;
	done->b_one += even;
	truth_b_outer(2 * SLICE);
	done->b_static += 2 * SLICE;
	truth_main_one(even);
	done->main_one += even;
	truth_main_deep(deep, SLICE);
	done->main_deep += SLICE;
}

static void *work(void *argument)
{
	struct worker *worker = argument;
	uint64_t end_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + worker->cpu_ns;
	char name[16];

	snprintf(name, sizeof(name), "truth-%u", worker->index);
	pthread_setname_np(pthread_self(), name);
	do { /* looking at the clock is work too, and not what is measured */
		for (unsigned i = 0; i < 16; i++)
			round_of(worker->index, &worker->done);
	} while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns);
	worker->used_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	return NULL;
}

int main(int argc, char **argv)
{
	uint64_t cpu_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 1000) * 1000000;
	struct worker workers[THREADS] = { 0 };
	struct share all = { 0 };

	for (unsigned i = 0; i < THREADS; i++) {
		workers[i].index = i;
		workers[i].cpu_ns = cpu_ns * (i + 1) / (THREADS * (THREADS + 1) / 2);
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return 1;
	}
	for (unsigned i = 0; i < THREADS; i++) {
		const struct share *done = &workers[i].done;

		pthread_join(workers[i].thread, NULL);
		all.a_one += done->a_one;
		all.a_via_b += done->a_via_b;
		all.b_one += done->b_one;
		all.b_static += done->b_static;
		all.main_one += done->main_one;
		all.main_deep += done->main_deep;
	}
	printf("truth_a_one %lu\ntruth_a_via_b %lu\ntruth_b_one %lu\ntruth_b_static %lu\n"
	       "truth_main_one %lu\ntruth_main_deep %lu\n",
	       all.a_one, all.a_via_b, all.b_one, all.b_static, all.main_one, all.main_deep);
	for (unsigned i = 0; i < THREADS; i++)
		printf("thread truth-%u %lu\n", i, workers[i].used_ns);
	return 0;
}
