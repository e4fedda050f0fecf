/* Which processes are profiled: always the first one, and its children as FLAMETRAP_FOLLOW says. */
#ifndef PRELOAD_PROCESS_FOLLOW_H
#define PRELOAD_PROCESS_FOLLOW_H

#include <stdbool.h>

struct settings;

/* Remember the parent of this image.  Call before the other functions.  Context: init. */
void follow_begin(void);

/* True if this new image is to be profiled.  Context: init. */
bool follow_start(const struct settings *settings);

/* True if the child of a fork, in the same image, is to be profiled.  Context: fork child. */
bool follow_fork(const struct settings *settings);

/* True if no ancestor is profiled: the parent did not load this library, and this process is not
 * the orphan of one that may have loaded it.  Context: thread. */
bool follow_is_first(void);

/* Like follow_is_first(), but uses only calls that the loader makes too, so that no sandbox
 * kills for them.  An orphan counts as first.  Context: init. */
bool follow_may_be_first(void);

/*
 * Environments in which sampling would end the program: a sandbox (seccomp(2)) that kills for one
 * of our calls, and a simulated machine.
 */

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
