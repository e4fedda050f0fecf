/*
 * The functions of sys.h make their calls through this.  Calls pass the fault points of test
 * builds, and are not made at all where the process or the thread keeps quiet.
 */
#ifndef RUNTIME_SAMPLE_SYS_SYS_MAKE_H
#define RUNTIME_SAMPLE_SYS_SYS_MAKE_H

/* Make the call of that number, without libc: no errno, no cancellation, and no function that the
 * target or its libraries interpose for syscall(2).  Returns the kernel's answer: a result, or
 * -errno.  Context: any. */
long sys_call(long number, long a, long b, long c, long d, long e, long f);

/* Likewise, unless sys_go_quiet or sys_keep_quiet forbids it; exits are always
 * made.  Returns the kernel's answer, or -EPERM.  Context: any. */
long sys_make(long number, long a, long b, long c, long d, long e, long f);

/* In a build with CONFIG_FAULTS=1, system calls of ours fail on request (fault.c).  Returns the
 * answer for this call of system call `number`: -errno, or 0 if the call is to be made.  Context:
 * any. */
long fault_due(long number);

/* All six arguments; missing ones are 0. */
#define PADDED(number, a, b, c, d, e, f, ...) \
	sys_make(number, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#define MAKE(...) PADDED(__VA_ARGS__, 0, 0, 0, 0, 0, 0)

#if CONFIG_FAULTS
#define FIRST_OF(first, ...) first
#define FIRST(...)	     FIRST_OF(__VA_ARGS__, 0)
#define FAULT(number)	     fault_due(number)
#define CALL(...)	     (fault_due(FIRST(__VA_ARGS__)) ?: MAKE(__VA_ARGS__))
#else
#define FAULT(number) 0
#define CALL(...)     MAKE(__VA_ARGS__)
#endif

#endif
