/* Burn CPU time for CPU_MILLISECONDS, then end by the system call itself, which no loaded
 * library can see.
 *   raw_exit CPU_MILLISECONDS */
#include "tests/preload/targets/target.h"

static _Noreturn void leave(long status)
{
#if defined(__x86_64__)
	__asm__ volatile("syscall" : : "a"(231L), "D"(status) : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long number __asm__("x8") = 94;
	register long argument __asm__("x0") = status;

	__asm__ volatile("svc 0" : : "r"(number), "r"(argument) : "memory");
#endif
	abort();
}

__attribute__((noinline)) static void burn_here(uint64_t burn_ns)
{
	work_burn(burn_ns);
	WORK_KEEP(1);
}

int main(int argc, char **argv)
{
	burn_here((argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000);
	leave(7);
}
