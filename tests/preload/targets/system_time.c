/* CPU time of which about half is the kernel's: reads of /dev/zero in read_zeros, and work in
 * user code in compute.  Prints user and system time as getrusage has them, in nanoseconds.
 *   system_time MILLISECONDS */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/preload/targets/work.h"

static char bytes[1 << 20];

__attribute__((noinline)) static void read_zeros(int fd, uint64_t cpu_ns)
{
	uint64_t end_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;

	while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		if (read(fd, bytes, sizeof(bytes)) != sizeof(bytes))
			abort();
}

__attribute__((noinline)) static void compute(uint64_t cpu_ns)
{
	work_burn(cpu_ns);
	WORK_KEEP(1);
}

static unsigned long long in_ns(struct timeval time)
{
	return (unsigned long long)time.tv_sec * 1000000000 +
	       (unsigned long long)time.tv_usec * 1000;
}

int main(int argc, char **argv)
{
	uint64_t cpu_ns = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000;
	int fd = open("/dev/zero", O_RDONLY);
	struct rusage usage;

	for (int i = 0; i < 10; i++) {
		read_zeros(fd, cpu_ns / 20);
		compute(cpu_ns / 20);
	}
	getrusage(RUSAGE_SELF, &usage);
	printf("%llu %llu\n", in_ns(usage.ru_utime), in_ns(usage.ru_stime));
	return 0;
}
