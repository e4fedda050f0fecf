/* Threads created and joined, one after another.  threads NUMBER [PAGES] prints nanoseconds of
 * CPU time per thread.  With PAGES each thread opens a clock by itself, with that many pages of
 * data. */
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE_BYTES 4096UL

static size_t pages;

static void *nothing(void *argument)
{
	return argument;
}

static void *with_clock(void *argument)
{
	struct perf_event_attr attr;
	size_t bytes = (1 + pages) * PAGE_BYTES;
	void *ring;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_freq = 999;
	attr.freq = attr.disabled = attr.exclude_kernel = 1;
	fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return argument;
	ring = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	close(fd);
	if (ring != MAP_FAILED)
		munmap(ring, bytes);
	return argument;
}

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int argc, char **argv)
{
	int number = argc > 1 ? atoi(argv[1]) : 1000;
	double start_ns = cpu_ns();

	pages = argc > 2 ? (size_t)atoi(argv[2]) : 0;
	for (int i = 0; i < number; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, pages ? with_clock : nothing, NULL))
			return 1;
		pthread_join(thread, NULL);
	}
	printf("%.1f\n", (cpu_ns() - start_ns) / number);
	return 0;
}
