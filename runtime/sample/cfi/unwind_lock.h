/*
 * Only one thread at a time asks libunwind.  A handler tries the lock for a bounded time and then
 * goes on without the rule: it never waits without limit.  A fork waits for the lock, so that no
 * child starts with libunwind's memory pools or the table half written.
 */
#ifndef RUNTIME_SAMPLE_CFI_UNWIND_LOCK_H
#define RUNTIME_SAMPLE_CFI_UNWIND_LOCK_H

#include <stdbool.h>

/* True if the lock is free, or becomes free within a bounded time
 * (runtime/sample/sys/lock.h), and is now the caller's.  Context: signal. */
bool unwind_lock_try(void);

/* Likewise, without waiting. */
bool unwind_lock_try_once(void);

/* Release the lock.  Context: the holder. */
void unwind_lock_release(void);

/* True if the calling thread holds it.  Context: any. */
bool unwind_lock_is_mine(void);

/* Keep other threads from asking libunwind while the process forks: lock in
 * pthread_atfork(prepare), unlock in parent and child.  Context: thread. */
void unwind_lock_for_fork(void);
void unwind_lock_after_fork(void);

/* True in the thread that holds the lock for a fork.  Context: any. */
bool unwind_lock_is_forking(void);

#endif
