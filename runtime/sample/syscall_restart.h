/*
 * A system call of the target that its own signal interrupted, while ours came first.
 *
 * When two signals wait at the end of a system call, the kernel decides by the first handler's
 * flags whether the call starts anew (signal(7)).  Ours comes first and says SA_RESTART; then a
 * target that wants EINTR from its own signal would wait for ever.  So where the call was made
 * to start anew and the target's next signal does not restart, it gets its EINTR from us.
 *
 * A wait that ours alone ended: io_uring_enter(2) does the thread's task work while it waits, and
 * sending our signal is such work.  The wait then ends early, and is made again.
 */
#ifndef RUNTIME_SAMPLE_SYSCALL_RESTART_H
#define RUNTIME_SAMPLE_SYSCALL_RESTART_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441 /* Linux 5.11 */
#endif

/* Undo the restart that our own flags caused, if they did.  Call when the overflow was taken in
 * the kernel.  Context: signal, all signals blocked. */
void syscall_restart_yield(ucontext_t *context);

/* A signal of the target's with our number, whose action does not restart calls, where ours does:
 * the call that was made to start anew ends with EINTR.  Context: signal. */
void syscall_restart_interrupt(ucontext_t *context);

/* A signal that the target blocks or ignores would not have woken the thread: have the call that
 * it ended go on.  Time-outs keep their end.  What cannot be made again ends with EINTR: on x86-64
 * epoll_wait, semtimedop and receiving with a time-out, and calls whose number the code in front of
 * the instruction does not tell; on aarch64 all but the sleeps, poll and futex waits that the
 * kernel itself continues (restart_syscall(2)).
 * Context: signal, all signals blocked; `mask` is what the target has blocked, and our signal. */
void syscall_restart_resume(ucontext_t *context, uint64_t mask);

/* True if the caller, which knows the number, may make the call again.  The call was made below
 * `frame`.  It was ended by a signal that would not have woken the thread, but
 * syscall_restart_resume did not know its number.  The answer is valid once.  Context: thread. */
bool syscall_restart_is_due(long number, uint64_t fourth, uint64_t frame);

/* The mask of a sleep (ppoll(2) and its kin) that a signal of the target's has just ended: its
 * handler runs with that, and the thread's own comes back after it.  False: it was no such call, or
 * the registers do not tell (on aarch64).  Context: signal. */
bool syscall_restart_sleep_mask(const ucontext_t *context, uint64_t *mask);

/* A sample taken in the kernel may have ended a wait in io_uring_enter, while no signal of the
 * target's waits: have the call made again, or note that its caller should.
 * Context: signal, all signals blocked. */
void syscall_restart_ring(ucontext_t *context);

/* Like syscall_restart_is_due(), for a caller that knows the arguments.  Call
 * syscall_restart_ring_begin before the call, and syscall_restart_ring_was_cut after it with its
 * result (-1 and errno, or the number submitted).  The call was made below `frame`.  True: only our
 * signal ended the wait, and it can be made again, with nothing to submit if `result` is not -1.
 * False also for a wait with a relative time-out.  The answer is valid once.  Context: thread. */
void syscall_restart_ring_begin(void);
bool syscall_restart_ring_was_cut(uint64_t frame, long result, const long argument[6]);

/* Does a signal wait for the target's thread whose handler will run?  Context: signal. */
bool syscall_restart_handler_waits(uint64_t blocked);

/* Was the mark left by a call that was made below `frame`, and not by one of a handler that ran
 * meanwhile, which is farther away?  The mark is gone then.  Context: thread. */
bool syscall_restart_take_mark(uint64_t *mark, uint64_t frame);

/* Of the machine: what the call returned that the context seems to come from. */
long syscall_restart_result_of(const ucontext_t *context);

/* Of the machine: has a handler of the target's just returned to the context?  The frame that the
 * kernel made for it is still below the stack pointer.  False too where it ran on a signal stack,
 * and on aarch64.  Context: signal. */
bool syscall_restart_was_returned_to(const ucontext_t *context);

/* Of the machine: does the context come from a system call?  Its number, or -1 if it is not known
 * or the call cannot be made again, and its arguments, of which aarch64 has lost the first; and let
 * it be made once more.  Context: signal. */
bool syscall_restart_left(const ucontext_t *context, long *number, uint64_t argument[6]);
void syscall_restart_again(ucontext_t *context, long number);
void syscall_restart_result(ucontext_t *context, long result);

/* Of the machine: is the context about to make a system call?  Its number and second argument;
 * and let it return `result` instead.  Context: signal. */
bool syscall_restart_call(const ucontext_t *context, long *number, uint64_t *second);
void syscall_restart_return(ucontext_t *context, long result);

#endif
