/*
 * One system call by its number, made without libc: no errno, no cancellation, and nothing that
 * the target or its libraries put in the place of syscall(2).  Test builds link something
 * between this and sys.c that makes calls fail.
 */
#ifndef RUNTIME_SAMPLE_SYS_SYS_CALL_H
#define RUNTIME_SAMPLE_SYS_SYS_CALL_H

/* What the kernel answers: a result, or -errno.  Context: any. */
long sys_call(long number, long a, long b, long c, long d, long e, long f);

#endif
