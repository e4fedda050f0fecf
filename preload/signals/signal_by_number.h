/*
 * The calls of signal(7), and waits for io_uring completions, made by number through syscall(2).
 * As with libc's functions, calls that concern our signal are answered from the program's own view.
 * Where a system call differs from libc's function, as in EFAULT for a bad address, it keeps its
 * own behaviour.
 */
#ifndef PRELOAD_SIGNALS_SIGNAL_BY_NUMBER_H
#define PRELOAD_SIGNALS_SIGNAL_BY_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct kernel_action { /* linux/signal_types.h */
	uint64_t handler;
	uint64_t flags;
	uint64_t restorer;
	uint64_t mask;
};

/* syscall(2) with this number and six arguments, through its next definition.  If a signal that
 * the program ignores interrupted a sleep, the sleep continues where possible.  Returns the
 * result of the call.  Context: any. */
long signal_by_number_pass(long number, const long argument[6]);

/* rt_sigaction(2) through the next definition of syscall(2): either action may be NULL.  Returns 0,
 * or -1 with errno.  Context: any. */
long signal_by_number_action(int signal, const struct kernel_action *action,
			     struct kernel_action *old);

/* syscall(2) with this number and six arguments.  Returns true if the call was made here;
 * *result has its result, and errno is set by it.  Returns false, without a call, if it does not
 * concern our signal.  Context: any. */
bool signal_by_number(long number, const long argument[6], long *result);

#endif
