/*
 * Waiting for completions of io_uring by syscall(2).
 */
#ifndef PRELOAD_SIGNALS_RING_CALLS_H
#define PRELOAD_SIGNALS_RING_CALLS_H

/* io_uring_enter(2) with its six arguments, by the next definition of syscall; a wait that only our
 * signal ended goes on.  Returns what that returns, with its errno.  Context: any. */
long ring_calls_enter(const long argument[6]);

#endif
