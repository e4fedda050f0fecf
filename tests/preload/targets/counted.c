/*
 * A program with known numbers of events: page faults in one function, time in another, writes to
 * a watched word in a third, waiting in a fourth, moves to another processor in a fifth.
 *   counted PAGES SPINS WRITES WAITS MOVES
 * Prints getrusage's faults and switches, the number of switches in which it waited, the number of
 * its moves, and the CPU time and wall time in the first two.  A wait that ends before the
 * processor was given away does not count.  After very many faults the first function goes on for
 * a while without any, so that its last sample comes after them, even if it is late.
 */
#include "tests/preload/targets/target.h"

#define VERY_MANY 20000
#define AGAIN_NS  30000000

volatile long watched;
volatile long sink;

BY_NAME void touch_pages(char *memory, long pages)
{
	uint64_t end_ns;

	for (long i = 0; i < pages; i++)
		memory[i * 4096] = (char)i;
	end_ns = work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) + AGAIN_NS;
	while (pages >= VERY_MANY && work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID) < end_ns)
		for (long i = 0; i < pages; i++)
			memory[i * 4096]++;
}

BY_NAME void spin(long spins)
{
	for (long i = 0; i < spins; i++)
		sink = sink * 3 + i;
}

BY_NAME void write_watched(long writes)
{
	for (long i = 0; i < writes; i++)
		watched = i;
}

BY_NAME long wait_often(long waits)
{
	const struct timespec shortly = { .tv_nsec = 1000 };
	long before = switches_of(RUSAGE_SELF);

	for (long i = 0; i < waits; i++)
		nanosleep(&shortly, NULL);
	return switches_of(RUSAGE_SELF) - before;
}

static int move_to(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

/* From one processor to the other and back, being on the first and nowhere else. */
BY_NAME long move_around(const int cpu[2], long moves)
{
	long moved = 0;

	for (long i = 0; i < moves; i++)
		moved += !move_to(cpu[(i + 1) % 2]);
	return moved;
}

/* The first two allowed processors; false where there is but one. */
BY_NAME int stay_on_one_of_two(int cpu[2])
{
	cpu_set_t allowed;
	int found = 0;

	sched_getaffinity(0, sizeof(allowed), &allowed);
	for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
		if (CPU_ISSET(i, &allowed))
			cpu[found++] = i;
	return found == 2 && !move_to(cpu[0]);
}

int main(int argc, char **argv)
{
	long pages, writes, waits, spins, moves, waited;
	struct rusage before, after;
	uint64_t start_ns, touched_ns, spun_ns, wall_ns[3];
	char *memory;
	int cpu[2];

	if (argc != 6)
		return 2;
	pages = atol(argv[1]);
	spins = atol(argv[2]);
	writes = atol(argv[3]);
	waits = atol(argv[4]);
	moves = atol(argv[5]);
	memory = map_memory((size_t)(pages + 1) * 4096, PROT_READ | PROT_WRITE);
	if (memory == MAP_FAILED)
		return 1;
	madvise(memory, (size_t)(pages + 1) * 4096, MADV_NOHUGEPAGE);
	getrusage(RUSAGE_SELF, &before);
	wall_ns[0] = work_cpu_ns(CLOCK_MONOTONIC);
	start_ns = work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	touch_pages(memory, pages);
	touched_ns = work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	wall_ns[1] = work_cpu_ns(CLOCK_MONOTONIC);
	spin(spins);
	spun_ns = work_cpu_ns(CLOCK_PROCESS_CPUTIME_ID);
	wall_ns[2] = work_cpu_ns(CLOCK_MONOTONIC);
	write_watched(writes);
	waited = wait_often(waits);
	moves = moves && stay_on_one_of_two(cpu) ? move_around(cpu, moves) : 0;
	getrusage(RUSAGE_SELF, &after);
	printf("faults %ld switches %ld waited %ld moves %ld touched_ns %lu spun_ns %lu "
	       "touched_wall_ns %lu spun_wall_ns %lu\n",
	       after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt,
	       after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw, waited, moves,
	       touched_ns - start_ns, spun_ns - touched_ns, wall_ns[1] - wall_ns[0],
	       wall_ns[2] - wall_ns[1]);
	return 0;
}
