/* A system call of the program's own code, past libc and what is preloaded. */
#ifndef TESTS_PRELOAD_TARGETS_RAW_CALL_H
#define TESTS_PRELOAD_TARGETS_RAW_CALL_H

/* Returns the kernel's answer: a number below 0 is -errno. */
static inline long raw_call6(long number, long a, long b, long c, long d, long e, long f)
{
	long answer;
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;

	__asm__ volatile("syscall"
			 : "=a"(answer)
			 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
#else
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc 0"
			 : "+r"(x0)
			 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
			 : "memory");
	answer = x0;
#endif
	return answer;
}

static inline long raw_call(long number, long a, long b, long c, long d)
{
	return raw_call6(number, a, b, c, d, 0, 0);
}

#endif
