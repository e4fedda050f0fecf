/*
 * The floor of the cost: an event with the same records as the profiler's.  Its handler discards
 * each record unread.
 */
#ifndef BENCH_FLOOR_H
#define BENCH_FLOOR_H

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FLOOR_PAGE_BYTES  4096UL
#define FLOOR_STACK_BYTES 65536
#define FLOOR_FORMAT_LOST (1ULL << 4) /* older headers lack the name */

static struct perf_event_mmap_page *floor_ring;
static _Atomic uint64_t floor_taken;

static void floor_do_nothing(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	(void)context;
	floor_ring->data_tail = floor_ring->data_head;
	atomic_fetch_add_explicit(&floor_taken, 1, memory_order_relaxed);
}

/* Receive a signal at each `period` of a software event.  Returns 0 or -errno. */
static int floor_start(uint64_t event, uint64_t period)
{
	struct sigaction action = { .sa_sigaction = floor_do_nothing,
				    .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART };
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = event,
		.sample_period = period,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			       PERF_FORMAT_ID | PERF_FORMAT_GROUP | FLOOR_FORMAT_LOST,
		.exclude_callchain_user = 1,
		.disabled = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = UINT32_MAX,
		.sigtrap = 1,
		.remove_on_exec = 1,
	};
	stack_t stack = { .ss_size = FLOOR_STACK_BYTES, .ss_sp = malloc(FLOOR_STACK_BYTES) };
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	memset(stack.ss_sp, 1, stack.ss_size);
	sigfillset(&action.sa_mask);
	sigaltstack(&stack, NULL);
	sigaction(SIGTRAP, &action, NULL);
	floor_ring =
		mmap(NULL, 17 * FLOOR_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	if (floor_ring == MAP_FAILED || ioctl((int)fd, PERF_EVENT_IOC_ENABLE, 0))
		return -errno;
	return 0;
}

/* Call leaf(memory, number) as the frame of this depth.  Five frames belong to the depth already:
 * _start, __libc_start_main, its call, main and the leaf. */
__attribute__((noinline, unused)) static void
floor_descend(unsigned depth, void (*leaf)(volatile void *memory, unsigned long number),
	      volatile void *memory, unsigned long number)
{
	if (depth > 6)
		floor_descend(depth - 1, leaf, memory, number);
	else
		leaf(memory, number);
	__asm__ volatile("");
}

#endif
