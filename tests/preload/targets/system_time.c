/* CPU time of which about half is the kernel's: reads of /dev/zero in read_zeros, then work in
 * user code in compute.  Prints the CPU time of the reads and the CPU time since main began, by
 * the thread's own clock, in nanoseconds, and the wall time of the reads.
 *   system_time MILLISECONDS */
#include "tests/preload/targets/target.h"

static char bytes[16 << 20]; /* a read takes so long that its call is nothing beside it */

__attribute__((noinline)) static uint64_t read_zeros(int fd, uint64_t cpu_ns)
{
	uint64_t start_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID), now_ns;

	do {
		if (read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			abort();
		now_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID);
	} while (now_ns < start_ns + cpu_ns);
	return now_ns - start_ns;
}

BURNS(compute)

int main(int argc, char **argv)
{
	uint64_t cpu_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000;
	int fd = open("/dev/zero", O_RDONLY);
	uint64_t start_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID), read_ns, wall_ns;

	wall_ns = work_cpu_ns(CLOCK_MONOTONIC);
	read_ns = read_zeros(fd, cpu_ns / 2);
	wall_ns = work_cpu_ns(CLOCK_MONOTONIC) - wall_ns;
	compute(cpu_ns / 2);
	printf("%llu %llu %llu\n", (unsigned long long)read_ns,
	       (unsigned long long)(work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns),
	       (unsigned long long)wall_ns);
	return 0;
}
