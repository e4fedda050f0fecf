/*
 * The first thread has no thread pointer for a while, works, and has libc's again.
 *   own_pointer ROUNDS
 */
#include "tests/preload/targets/raw_call.h"
#include "tests/preload/targets/target.h"

#define SET 0x1002 /* ARCH_SET_FS, asm/prctl.h */

static inline __attribute__((always_inline)) void set_pointer(void *pointer)
{
#if defined(__x86_64__)
	raw_call(SYS_arch_prctl, SET, (long)pointer, 0, 0);
#else
	__asm__ volatile("msr tpidr_el0, %0" : : "r"(pointer) : "memory");
#endif
}

static inline __attribute__((always_inline)) void work(unsigned long rounds)
{
	for (volatile unsigned long i = 0; i < rounds * 300000; i++)
		;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 100;
	void *volatile libc_s = __builtin_thread_pointer();

	set_pointer(NULL);
	work(rounds);
	set_pointer(libc_s);
	work(rounds);
	puts("ok");
	return 7;
}
