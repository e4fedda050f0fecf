/*
 * Work of a known amount.  One unit is one turn of the same two instructions at every use of the
 * macro, so that shares of units are shares of instructions, and of time.
 */
#ifndef TARGETS_WORK_H
#define TARGETS_WORK_H

#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#define WORK(units)                                                                            \
	do {                                                                                   \
		uint64_t left = (units);                                                       \
		__asm__ volatile(".p2align 6\n1:\n\tdecq %0\n\tjnz 1b" : "+r"(left) : : "cc"); \
	} while (0)
#elif defined(__aarch64__)
#define WORK(units)                                                             \
	do {                                                                    \
		uint64_t left = (units);                                        \
		__asm__ volatile(".p2align 6\n1:\n\tsubs %0, %0, #1\n\tb.ne 1b" \
				 : "+r"(left)                                   \
				 :                                              \
				 : "cc");                                       \
	} while (0)
#endif

/* Ends a function: its last call is no tail call, and its code is no other function's. */
#define WORK_KEEP(number) __asm__ volatile("# " #number)

static inline uint64_t work_cpu_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Burn CPU time of the calling thread. */
__attribute__((noinline, unused)) static void work_burn(uint64_t cpu_ns)
{
	uint64_t end_ns = work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) + cpu_ns;

	while (work_cpu_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		WORK(100000);
}

#endif
