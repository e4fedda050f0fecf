/*
 * Children that share our memory (vfork, and clone with CLONE_VM).  Until the first one is made,
 * who calls need not be asked of the kernel: it is the process, or a fork's child with memory of
 * its own.
 */
#ifndef PRELOAD_SIGNALS_SHARING_CALLS_H
#define PRELOAD_SIGNALS_SHARING_CALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define SHARING_LOCAL __attribute__((visibility("hidden")))

/* Was such a child ever made by libc's functions?  W: the entries and clone.  R: any thread. */
extern _Atomic uint8_t sharing_begun SHARING_LOCAL;

/* May the caller touch the state of the process's thread?  As session_is_here, which asks, but for
 * the child of a fork that ran no handlers, whose state is its own.  Context: any. */
bool sharing_is_here(void) SHARING_LOCAL;

/* Such a child is about to be made: the next definition of vfork, for its entry.  Context: thread.
 */
pid_t (*sharing_vfork(void))(void) SHARING_LOCAL;

#endif
