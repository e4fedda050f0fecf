/*
 * What ptrace(2) changes for us: the caller is to be traced, or traces others.
 */
#ifndef PRELOAD_CALLS_TRACE_CALLS_H
#define PRELOAD_CALLS_TRACE_CALLS_H

#include <stdbool.h>
#include <sys/types.h>

/* Call before ptrace(2) with this request: ends sampling if the caller asks to be traced.  Context:
 * thread, a vfork child included. */
void trace_begin(long request) __attribute__((visibility("hidden")));

/* True if this process has attached to another.  Context: any. */
bool trace_is_on(void) __attribute__((visibility("hidden")));

/* `status` is that of wait(2) for a task that the calling thread may trace.  If it stopped for a
 * sample, and its tracer last let it run on, it goes on with the signal.  Returns whether it does;
 * keeps errno.  Context: thread. */
bool trace_hides(pid_t tid, int status) __attribute__((visibility("hidden")));

#endif
