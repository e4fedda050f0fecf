/*
 * Children that share our memory (vfork, and clone with CLONE_VM).  Until the first one is
 * created, the kernel need not be asked which process calls: it is the sampled process, or the
 * child of a fork, which has memory of its own.
 */
#ifndef PRELOAD_SIGNALS_SHARING_CALLS_H
#define PRELOAD_SIGNALS_SHARING_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#define SHARING_LOCAL __attribute__((visibility("hidden")))

/* True once libc's functions have been called to create such a child.  W: the entries and clone.
 * R: any thread. */
extern _Atomic uint8_t sharing_begun SHARING_LOCAL;

/* True if the caller may change the state of the process's thread.  Like session_is_here(),
 * which asks the kernel, but also true in the child of a fork that ran no fork handlers, whose
 * state is its own copy.  Context: any. */
bool sharing_is_here(void) SHARING_LOCAL;

#endif
