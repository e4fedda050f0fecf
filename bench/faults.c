/*
 * Page faults at a known depth of stack: an event that can be had one by one, so that the cost
 * of a sample is seen without the noise of a clock.
 *   faults DEPTH NUMBER [empty]     "empty" takes each fault as a signal and does nothing
 * Prints nanoseconds per fault.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PAGE_BYTES 4096UL
#define PAGES	   256UL

static struct perf_event_mmap_page *ring;
static _Atomic uint64_t taken;

/* The floor: give the record back unread. */
static void do_nothing(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	ring->data_tail = ring->data_head;
	atomic_fetch_add_explicit(&taken, 1, memory_order_relaxed);
}

static int take_signals(void)
{
	struct sigaction action = { .sa_sigaction = do_nothing,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.sample_period = 1,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME |
						       PERF_SAMPLE_CALLCHAIN,
					.exclude_callchain_user = 1,
					.disabled = 1,
					.sigtrap = 1,
					.remove_on_exec = 1 };
	stack_t stack = { .ss_size = 65536, .ss_sp = malloc(65536) };
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	memset(stack.ss_sp, 1, stack.ss_size);
	sigfillset(&action.sa_mask);
	sigaltstack(&stack, NULL);
	sigaction(SIGTRAP, &action, NULL);
	ring = mmap(NULL, 17 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	if (ring == MAP_FAILED || ioctl((int)fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

__attribute__((noinline)) static void fault(volatile char *pages, unsigned long number)
{
	for (unsigned long i = 0; i < number; i++)
		pages[i * PAGE_BYTES] = 1;
}

__attribute__((noinline)) static void descend(unsigned depth, volatile char *pages,
					      unsigned long number)
{
	if (depth)
		descend(depth - 1, pages, number);
	else
		fault(pages, number);
	__asm__ volatile("");
}

int main(int argc, char **argv)
{
	volatile unsigned depth = argc > 1 ? (unsigned)atoi(argv[1]) : 20;
	unsigned long number = argc > 2 ? strtoul(argv[2], NULL, 10) : 10000, left;
	struct timespec start, end;
	uint64_t spent_ns = 0;
	char *pages;
	int err;

	pages = mmap(NULL, PAGES * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	if (pages == MAP_FAILED)
		return 1;
	madvise(pages, PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
	err = argc > 3 ? take_signals() : 0;
	if (err) {
		fprintf(stderr, "perf_event_open: %s\n", strerror(-err));
		return 1;
	}
	/* _start, __libc_start_main, its call, main and fault are five frames of the depth. */
	for (left = number; left; left -= left < PAGES ? left : PAGES) {
		clock_gettime(CLOCK_MONOTONIC, &start);
		descend(depth > 6 ? depth - 6 : 0, pages, left < PAGES ? left : PAGES);
		clock_gettime(CLOCK_MONOTONIC, &end);
		spent_ns += (uint64_t)(end.tv_sec - start.tv_sec) * 1000000000 +
			    (uint64_t)(end.tv_nsec - start.tv_nsec);
		madvise(pages, PAGES * PAGE_BYTES, MADV_DONTNEED);
	}
	if (argc > 3 && taken < number)
		return 2;
	printf("%.1f\n", (double)spent_ns / (double)number);
	return 0;
}
