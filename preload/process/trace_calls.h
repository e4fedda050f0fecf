/*
 * ptrace(2), as libc's function and by number.
 */
#ifndef PRELOAD_PROCESS_TRACE_CALLS_H
#define PRELOAD_PROCESS_TRACE_CALLS_H

/* Call before ptrace(2) with this request: ends sampling if the caller asks to be traced.  Context:
 * thread, a vfork child included. */
void trace_begin(long request) __attribute__((visibility("hidden")));

#endif
