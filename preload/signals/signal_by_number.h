/*
 * The calls of signal(7) made by number, by syscall(2): as those of libc, answered from the
 * program's own view where they concern our signal.  What a system call does that libc's function
 * does not, such as EFAULT for a bad address, stays as it is.
 */
#ifndef PRELOAD_SIGNALS_SIGNAL_BY_NUMBER_H
#define PRELOAD_SIGNALS_SIGNAL_BY_NUMBER_H

#include <stdbool.h>

/* syscall(2) with this number and its six arguments, by its next definition; a sleep that a signal
 * ended which the program ignores goes on, where it can.  Returns what that returns.  Context: any.
 */
long signal_by_number_pass(long number, const long argument[6]);

/* syscall(2) with this number and its six arguments: true if it was made here, with what it
 * returned in *result, and its errno; false: it is not our affair.  Context: any. */
bool signal_by_number(long number, const long argument[6], long *result);

#endif
