/*
 * Restores EINTR for a system call that a signal of the target has interrupted, if our signal came
 * first.
 *
 * When two signals are pending at the end of a system call, the kernel decides by the flags of the
 * first handler whether the call restarts (signal(7)).  Our handler is first and has SA_RESTART.  A
 * target that expects EINTR from its own signal would then wait for ever.  So if the call is about
 * to restart and the target's next signal does not restart calls, the call returns EINTR here.
 *
 * Also repeats a wait that our signal alone has ended.  io_uring_enter(2) does the thread's task
 * work while it waits, and sending our signal is such work, so the wait ends early.
 */
#ifndef RUNTIME_SAMPLE_OVERFLOW_SYSCALL_RESTART_H
#define RUNTIME_SAMPLE_OVERFLOW_SYSCALL_RESTART_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441 /* Linux 5.11 */
#endif

/* Undo the restart that the flags of our handler have caused, if they have.  Call it if the
 * overflow was in the kernel.  Context: signal, all signals blocked. */
void syscall_restart_yield(ucontext_t *context);

/* Make the call that is about to restart return EINTR.  Call it for a signal of the target with our
 * number whose action does not restart calls, because ours does.  Context: signal. */
void syscall_restart_interrupt(ucontext_t *context);

/* Continue a call that a signal has ended.  The target blocks or ignores the signal, so it would
 * not have woken the thread.  Time-outs keep their end.  A call that cannot be repeated ends with
 * EINTR.  On x86-64 these are epoll_wait, semtimedop and receiving, each with a time-out, and calls
 * whose number cannot be read from the code before the instruction.  On aarch64 these are all calls
 * except the sleeps, poll and futex waits that the kernel itself continues (restart_syscall(2)).
 * `mask`: the signals that the target blocks, and ours.  Context: signal, all signals blocked. */
void syscall_restart_resume(ucontext_t *context, uint64_t mask);

/* Returns true if the caller, which knows the number, may repeat the call that was made below
 * `frame`.  A signal that would not have woken the thread has ended it, but syscall_restart_resume
 * did not know its number.  `argument` holds the arguments of the call.  The answer is valid once.
 * Context: thread. */
bool syscall_restart_is_due(long number, const long argument[6], uint64_t frame);

/* Continue a sleep that a stop of the process (or other task work) has interrupted.  The kernel
 * continues it if no handler runs (restart_syscall(2)), but ours ran: our signal was pending since
 * before the sleep, or came between the stop and the return to the call.  Does nothing if a signal
 * of the target has ended the sleep.  Other calls that go on after a stop (pause(2), select(2)) are
 * not repeated, because a handler of the target may have ended them.  It may sleep, with the
 * target's signals open.  Context: signal, the last step of a turn. */
void syscall_restart_stopped(ucontext_t *context);

/* Read the signal mask that was an argument of a sleep (ppoll(2) and similar calls).  A signal of
 * the target has just ended the sleep.  The target's handler runs with that mask, and the thread's
 * own mask is restored after it.  Returns false if the call was not such a sleep, or if the
 * registers do not show it (on aarch64).  Context: signal. */
bool syscall_restart_sleep_mask(const ucontext_t *context, uint64_t *mask);

/* Repeat a wait in io_uring_enter that a sample in the kernel may have ended, if no signal of the
 * target is pending; or note that its caller should repeat it.  Context: signal, all signals
 * blocked. */
void syscall_restart_ring(ucontext_t *context);

/* Like syscall_restart_is_due(), for a caller that knows the arguments of io_uring_enter.  Call
 * syscall_restart_ring_begin before the call.  Call syscall_restart_ring_was_cut after it, with its
 * result (-1 and errno, or the number submitted).  The call was made below `frame`.  Returns true
 * if only our signal ended the wait, and it can be repeated; if `result` is not -1, with nothing to
 * submit.  Returns false for a wait with a relative time-out.  The answer is valid once.  Context:
 * thread. */
void syscall_restart_ring_begin(void);
bool syscall_restart_ring_was_cut(uint64_t frame, long result, const long argument[6]);

/* By machine.  Returns the number register of the context, which need not come from a call. */
long syscall_restart_number_of(const ucontext_t *context);

/* By machine.  Returns the result register of the context, which seems to come from a call. */
long syscall_restart_result_of(const ucontext_t *context);

/* On x86-64.  Returns the size of the state of the vector unit, which a signal frame has; 0: there
 * is none. */
uint64_t syscall_restart_state_bytes(const ucontext_t *context);

/* By machine.  Returns true if a handler of the target has just returned to the context: the frame
 * that the kernel made for the handler is still below the stack pointer.  Returns false if the
 * handler ran on a signal stack, and always on aarch64.  Context: signal. */
bool syscall_restart_was_returned_to(const ucontext_t *context);

/* By machine.  syscall_restart_left returns true if the context comes from a system call, with its
 * number and arguments.  The number is -1 if it is unknown or the call cannot be repeated.  On
 * aarch64 the first argument is lost.  syscall_restart_again makes the context repeat the call, and
 * syscall_restart_result sets its result.  Context: signal. */
bool syscall_restart_left(const ucontext_t *context, long *number, uint64_t argument[6]);
void syscall_restart_again(ucontext_t *context, long number);
void syscall_restart_result(ucontext_t *context, long result);

/* By machine.  syscall_restart_call returns true if the context is about to make a system call,
 * with its number and second argument.  syscall_restart_return makes the context skip the call and
 * return `result`.  Context: signal. */
bool syscall_restart_call(const ucontext_t *context, long *number, uint64_t *second);
void syscall_restart_return(ucontext_t *context, long result);

#endif
