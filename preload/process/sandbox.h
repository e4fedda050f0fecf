/*
 * Environments in which sampling would end the program: a sandbox (seccomp(2)) that kills for one
 * of our calls, and a simulated machine.
 */
#ifndef PRELOAD_PROCESS_SANDBOX_H
#define PRELOAD_PROCESS_SANDBOX_H

#include <stdbool.h>

/* Why the program cannot be sampled within the filter that it was started in; NULL: it can, or
 * there is no filter; "": the filter may kill for a line that says why, too.  A child of ours tries
 * each of our system calls with arguments that have no effect; the filter may kill it for one.
 * Context: init. */
const char *sandbox_objection(void);

/* True if that filter lets the program be sampled but kills for ptrace(2).  Context: any. */
bool sandbox_forbids_tracing(void);

/* True under valgrind, which takes signals that the kernel sends for its own actions as its own
 * faults.  Context: init. */
bool sandbox_is_simulated(void);

#endif
