/*
 * A system call of the target that its own signal interrupted, while ours came first.
 *
 * When two signals wait at the end of a system call, the kernel decides by the first handler's
 * flags whether the call starts anew (signal(7)).  Ours comes first and says SA_RESTART; then a
 * target that wants EINTR from its own signal would wait for ever.  So where the call was made
 * to start anew and the target's next signal does not restart, it gets its EINTR from us.
 */
#ifndef RUNTIME_SAMPLE_RESTART_H
#define RUNTIME_SAMPLE_RESTART_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

/* Undo the restart that our own flags caused, if they did.  Call when the overflow was taken in
 * the kernel.  Context: signal, all signals blocked. */
void restart_yield(ucontext_t *context);

/* Of the machine: is the context about to make a system call?  Its number and second argument;
 * and let it return `result` instead.  Context: signal. */
bool restart_call(const ucontext_t *context, long *number, uint64_t *second);
void restart_return(ucontext_t *context, long result);

#endif
