/* A system call of the program's own code, past libc and what is preloaded. */
#ifndef TESTS_PRELOAD_TARGETS_RAW_CALL_H
#define TESTS_PRELOAD_TARGETS_RAW_CALL_H

/* Returns the kernel's answer: a number below 0 is -errno. */
static inline long raw_call(long number, long a, long b, long c, long d)
{
	long answer;
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;

	__asm__ volatile("syscall"
			 : "=a"(answer)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
			 : "rcx", "r11", "memory");
#else
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	answer = x0;
#endif
	return answer;
}

#endif
