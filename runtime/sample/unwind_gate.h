/*
 * One thread at a time asks libunwind.  A handler tries the gate for a bounded time and then
 * does without: it never waits for good.  A fork waits for it, so that no child is born with
 * libunwind's memory pools or the table half written and nobody to finish.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_GATE_H
#define RUNTIME_SAMPLE_UNWIND_GATE_H

#include <stdbool.h>

/* True if the gate became free within a few microseconds, or after the processor was given to
 * others a few times, and is now the caller's.
 * Context: signal. */
bool unwind_gate_try(void);

/* Context: who holds it. */
void unwind_gate_leave(void);

/* True if the calling thread holds it.  Context: any. */
bool unwind_gate_is_mine(void);

/* Keep other threads from asking libunwind while the process forks: lock in
 * pthread_atfork(prepare), unlock in parent and child.  Context: thread. */
void unwind_fork_lock(void);
void unwind_fork_unlock(void);

/* True in the thread that is between the two.  Context: any. */
bool unwind_is_forking(void);

#endif
