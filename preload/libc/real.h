/*
 * The functions behind the interposed names: the definitions in the next object of the search
 * order, usually libc.
 */
#ifndef PRELOAD_LIBC_REAL_H
#define PRELOAD_LIBC_REAL_H

#include <stdbool.h>

#include "preload/libc/interposed.h"

#define REAL_FIELD(result, name, parameters, absent) result(*name) parameters;

struct real {
	INTERPOSED(REAL_FIELD)
};

/* All of them.  The first call looks them up, because a library's constructor may create a
 * thread before ours has run.  Context: any thread; not in a handler before the constructor ran. */
const struct real *real(void);

/* The same, for functions that a library may bring while the program runs, libpthread.so.0 and
 * libdl.so.2 before glibc 2.34: looks again for those that were absent.  Context: thread. */
const struct real *real_now(void);

/* libc's syscall, or NULL until real() was called.  W: real().  R: entry_*.c. */
extern long (*real_syscall)(long, ...) __attribute__((visibility("hidden")));

/* True if the functions were looked up.  Context: any. */
bool real_is_ready(void);

#endif
