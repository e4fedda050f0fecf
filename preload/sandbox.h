/*
 * Surroundings in which sampling would end the program: a sandbox (seccomp(2)) that kills for a
 * call of ours, a machine made of software.
 */
#ifndef PRELOAD_SANDBOX_H
#define PRELOAD_SANDBOX_H

#include <stdbool.h>

/* True if a child of ours, which made each of our system calls in vain, was killed for one.
 * Makes one only where there is a filter at all.  Context: init. */
bool sandbox_kills(void);

/* True under valgrind: it runs the program's code by itself, and takes signals that the kernel
 * sends for what it does as its own faults.  Context: init. */
bool sandbox_is_simulated(void);

#endif
