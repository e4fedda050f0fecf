/*
 * One system call by its number, made without libc: no errno, no cancellation, and no function that
 * the target or its libraries interpose for syscall(2).  Test builds link a layer between this and
 * sys.c that makes calls fail.
 */
#ifndef RUNTIME_SAMPLE_SYS_SYS_CALL_H
#define RUNTIME_SAMPLE_SYS_SYS_CALL_H

/* Returns the kernel's answer: a result, or -errno.  Context: any. */
long sys_call(long number, long a, long b, long c, long d, long e, long f);

#endif
