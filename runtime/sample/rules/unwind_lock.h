/*
 * One thread at a time asks libunwind.  A handler tries the lock for a bounded time and then
 * does without: it never waits for good.  A fork waits for it, so that no child is born with
 * libunwind's memory pools or the table half written and nobody to finish.
 */
#ifndef RUNTIME_SAMPLE_RULES_UNWIND_LOCK_H
#define RUNTIME_SAMPLE_RULES_UNWIND_LOCK_H

#include <stdbool.h>

/* True if the lock became free within a few microseconds, or after the processor was given to
 * others a few times, and is now the caller's.
 * Context: signal. */
bool unwind_lock_try(void);

/* Context: who holds it. */
void unwind_lock_release(void);

/* True if the calling thread holds it.  Context: any. */
bool unwind_lock_is_mine(void);

/* Keep other threads from asking libunwind while the process forks: lock in
 * pthread_atfork(prepare), unlock in parent and child.  Context: thread. */
void unwind_lock_for_fork(void);
void unwind_lock_after_fork(void);

/* True in the thread that is between the two.  Context: any. */
bool unwind_lock_is_forking(void);

#endif
