/*
 * Surroundings in which sampling would end the program: a sandbox (seccomp(2)) that kills for a
 * call of ours, a machine made of software.
 */
#ifndef PRELOAD_PROCESS_SANDBOX_H
#define PRELOAD_PROCESS_SANDBOX_H

#include <stdbool.h>

/* Why the program cannot be sampled within the filter that it was started in; NULL if it can, or
 * there is none.  A child of ours makes each of our system calls in vain, and may be killed for
 * one.  Context: init. */
const char *sandbox_objection(void);

/* True if that filter lets the program be sampled, but kills for ptrace(2).  Context: any. */
bool sandbox_forbids_tracing(void);

/* True under valgrind: it runs the program's code by itself, and takes signals that the kernel
 * sends for what it does as its own faults.  Context: init. */
bool sandbox_is_simulated(void);

#endif
