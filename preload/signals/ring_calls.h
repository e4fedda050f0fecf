/*
 * Waits for io_uring completions through syscall(2).
 */
#ifndef PRELOAD_SIGNALS_RING_CALLS_H
#define PRELOAD_SIGNALS_RING_CALLS_H

/* io_uring_enter(2) with its six arguments, through the next definition of syscall.  Continues a
 * wait that only our signal interrupted.  Returns the result of the call, with its errno.
 * Context: any. */
long ring_calls_enter(const long argument[6]);

#endif
