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

/* A signal of the target's with our number, whose action does not restart calls, where ours does:
 * the call that was made to start anew ends with EINTR.  Context: signal. */
void restart_interrupt(ucontext_t *context);

/* A signal that the target blocks or ignores would not have woken the thread: have the call that
 * it ended go on.  Time-outs keep their end.  What cannot be made again ends with EINTR: on x86-64
 * epoll_wait, semtimedop and receiving with a time-out, and calls whose number the code in front of
 * the instruction does not tell; on aarch64 all but the sleeps, poll and futex waits that the
 * kernel itself continues (restart_syscall(2)).
 * Context: signal, all signals blocked; `mask` is what the target has blocked, and our signal. */
void restart_resume(ucontext_t *context, uint64_t mask);

/* May the caller, who knows the number, make the call again?  It was made below `frame`, and ended
 * for a signal that would not have woken the thread, but restart_resume did not know its number.
 * The answer serves once.  Context: thread. */
bool restart_is_due(long number, uint64_t fourth, uint64_t frame);

/* Of the machine: has the call before the context's address just ended with EINTR?  Its number, or
 * -1, and fourth argument; and let it be made once more.  Context: signal. */
bool restart_ended(const ucontext_t *context, long *number, uint64_t *fourth);
void restart_again(ucontext_t *context, long number);
void restart_result(ucontext_t *context, long result);

/* Of the machine: is the context about to make a system call?  Its number and second argument;
 * and let it return `result` instead.  Context: signal. */
bool restart_call(const ucontext_t *context, long *number, uint64_t *second);
void restart_return(ucontext_t *context, long result);

#endif
