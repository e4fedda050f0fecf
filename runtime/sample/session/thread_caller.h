/*
 * The part of a thread's record that preload/ uses.  A thread that starts and one that was taken
 * out do not need it at the same time.
 */
#ifndef RUNTIME_SAMPLE_SESSION_THREAD_CALLER_H
#define RUNTIME_SAMPLE_SESSION_THREAD_CALLER_H

#include <stdbool.h>
#include <stdint.h>

/* Passed from the creator to the new thread.  W, R: preload/threads/thread_calls.c. */
struct thread_caller_start {
	void *function;
	void *argument;
	bool veiled; /* the creator was veiled: signal_mask.h */
};

/* The arguments of prctl(2), PR_SET_SYSCALL_USER_DISPATCH.  W, R: signals/syscall_dispatch.c. */
struct thread_caller_dispatch {
	uint64_t mode;
	uint64_t offset, bytes; /* the range */
	const volatile char *selector;
	bool sampled; /* the thread was sampled before */
};

struct thread_caller {
	union {
		struct thread_caller_start start;
		struct thread_caller_dispatch dispatch;
	};
};

#endif
