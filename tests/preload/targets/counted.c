/*
 * A program with known numbers of events: page faults in one function, time in another, writes to
 * a watched word in a third, waiting in a fourth, moves to another processor in a fifth.
 *   counted PAGES SPINS WRITES WAITS MOVES
 * Prints getrusage's faults and switches, the number of switches in which it waited, the number of
 * its moves, and the CPU time and wall time in the first two.  A wait that ends before the
 * processor was given away does not count.  After very many faults the first function goes on for
 * a while without any, so that its last sample comes after them, even if it is late.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#define KEEP	  __attribute__((noipa))
#define VERY_MANY 20000
#define AGAIN_NS  30000000

volatile long watched;
volatile long sink;

static long long clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long cpu_ns(void)
{
	return clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

KEEP void touch_pages(char *memory, long pages)
{
	long long end_ns;

	for (long i = 0; i < pages; i++)
		memory[i * 4096] = (char)i;
	end_ns = cpu_ns() + AGAIN_NS;
	while (pages >= VERY_MANY && cpu_ns() < end_ns)
		for (long i = 0; i < pages; i++)
			memory[i * 4096]++;
}

KEEP void spin(long spins)
{
	for (long i = 0; i < spins; i++)
		sink = sink * 3 + i;
}

KEEP void write_watched(long writes)
{
	for (long i = 0; i < writes; i++)
		watched = i;
}

static long switches(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_nvcsw + usage.ru_nivcsw;
}

KEEP long wait_often(long waits)
{
	const struct timespec shortly = { .tv_nsec = 1000 };
	long before = switches();

	for (long i = 0; i < waits; i++)
		nanosleep(&shortly, NULL);
	return switches() - before;
}

static int move_to(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	return sched_setaffinity(0, sizeof(one), &one);
}

/* From one processor to the other and back, being on the first and nowhere else. */
KEEP long move_around(const int cpu[2], long moves)
{
	long moved = 0;

	for (long i = 0; i < moves; i++)
		moved += !move_to(cpu[(i + 1) % 2]);
	return moved;
}

/* The first two allowed processors; false where there is but one. */
KEEP int stay_on_one_of_two(int cpu[2])
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
	long long start_ns, touched_ns, spun_ns, wall_ns[3];
	char *memory;
	int cpu[2];

	if (argc != 6)
		return 2;
	pages = atol(argv[1]);
	spins = atol(argv[2]);
	writes = atol(argv[3]);
	waits = atol(argv[4]);
	moves = atol(argv[5]);
	memory = mmap(NULL, (size_t)(pages + 1) * 4096, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return 1;
	madvise(memory, (size_t)(pages + 1) * 4096, MADV_NOHUGEPAGE);
	getrusage(RUSAGE_SELF, &before);
	wall_ns[0] = clock_ns(CLOCK_MONOTONIC);
	start_ns = cpu_ns();
	touch_pages(memory, pages);
	touched_ns = cpu_ns();
	wall_ns[1] = clock_ns(CLOCK_MONOTONIC);
	spin(spins);
	spun_ns = cpu_ns();
	wall_ns[2] = clock_ns(CLOCK_MONOTONIC);
	write_watched(writes);
	waited = wait_often(waits);
	moves = moves && stay_on_one_of_two(cpu) ? move_around(cpu, moves) : 0;
	getrusage(RUSAGE_SELF, &after);
	printf("faults %ld switches %ld waited %ld moves %ld touched_ns %lld spun_ns %lld "
	       "touched_wall_ns %lld spun_wall_ns %lld\n",
	       after.ru_minflt + after.ru_majflt - before.ru_minflt - before.ru_majflt,
	       after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw - before.ru_nivcsw, waited, moves,
	       touched_ns - start_ns, spun_ns - touched_ns, wall_ns[1] - wall_ns[0],
	       wall_ns[2] - wall_ns[1]);
	return 0;
}
