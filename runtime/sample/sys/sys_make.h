/*
 * How the files of sys.h make a call: past the fault points of test builds, and not at all where
 * the process or the thread keeps quiet.
 */
#ifndef RUNTIME_SAMPLE_SYS_SYS_MAKE_H
#define RUNTIME_SAMPLE_SYS_SYS_MAKE_H

#include "runtime/sample/sys/fault.h"

/* Make the call of that number unless we are to keep quiet (sys_go_quiet, sys_keep_quiet), which
 * is no reason not to exit.  Returns what the kernel answers, or -EPERM.  Context: any. */
long sys_make(long number, long a, long b, long c, long d, long e, long f);

/* All six arguments, those not given as 0. */
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
