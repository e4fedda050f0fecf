/*
 * One thread at a time asks libunwind.  The gate is tried, never waited for, in a handler: its
 * holder may have been preempted.  A fork waits for it, so that no child is born with
 * libunwind's memory pools or the table half written and nobody to finish.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_GATE_H
#define RUNTIME_SAMPLE_UNWIND_GATE_H

#include <stdbool.h>

/* True if the gate was free within a microsecond or so, and is now the caller's.
 * Context: signal. */
bool unwind_gate_try(void);

/* Context: who holds it. */
void unwind_gate_leave(void);

/* True if the calling thread holds it.  Context: any. */
bool unwind_gate_is_mine(void);

#endif
