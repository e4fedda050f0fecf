/*
 * Two lists decide: calls that restart only if the handler has SA_RESTART, and calls that end with
 * EINTR after any handler (signal(7)).  Only the registers of the interrupted call are needed.  The
 * file of each processor reads and changes them.
 */
#include "runtime/sample/overflow/syscall_restart.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/sys/poison.h"

#define FRAMES_BYTES 512 /* less than the size of a signal frame */

#ifndef SYS_open /* aarch64 has none of these */
#define SYS_open       SYS_openat
#define SYS_pause      -1
#define SYS_select     -1
#define SYS_epoll_wait -1
#define SYS_poll       -1
#endif

static bool is_one_of(long number, const long *calls, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (calls[i] == number)
			return number >= 0;
	return false;
}
#define IS_ONE_OF(number, calls) is_one_of(number, calls, sizeof(calls) / sizeof((calls)[0]))

/* True for calls that restart if the handler has SA_RESTART, and end with EINTR if not (signal(7)).
 */
static bool can_end_early(long number, uint64_t second)
{
	static const long calls[] = {
		SYS_read,    SYS_readv,	  SYS_write,	SYS_writev,	     SYS_ioctl,
		SYS_openat,  SYS_open,	  SYS_wait4,	SYS_waitid,	     SYS_accept,
		SYS_accept4, SYS_connect, SYS_recvfrom, SYS_recvmsg,	     SYS_recvmmsg,
		SYS_sendto,  SYS_sendmsg, SYS_sendmmsg, SYS_flock,	     SYS_getrandom,
		SYS_splice,  SYS_tee,	  SYS_sendfile, SYS_mq_timedreceive, SYS_mq_timedsend,
	};

	if (IS_ONE_OF(number, calls))
		return true;
	if (number == SYS_fcntl)
		return second == F_SETLKW || second == F_OFD_SETLKW;
	second &= (uint64_t)(uint32_t)FUTEX_CMD_MASK;
	return number == SYS_futex && (second == FUTEX_WAIT || second == FUTEX_WAIT_BITSET);
}

static uint64_t waiting_signals(uint64_t blocked)
{
	uint64_t pending = 0;

	return sys_sigpending(&pending) ? 0 : pending & ~blocked;
}

static int next_signal(uint64_t blocked)
{
	uint64_t waiting = waiting_signals(blocked);

	return waiting ? __builtin_ctzll(waiting) + 1 : 0;
}

static bool has_handler(const struct sigaction *action)
{
	return action->sa_handler != SIG_IGN && action->sa_handler != SIG_DFL;
}

/* Returns true if a signal that is not in `blocked` is pending for the target's thread and has a
 * handler. */
static bool handler_waits(uint64_t blocked)
{
	uint64_t waiting = waiting_signals(blocked);
	struct sigaction action;

	for (; waiting; waiting &= waiting - 1)
		if (session.libc->sigaction(__builtin_ctzll(waiting) + 1, NULL, &action) ||
		    has_handler(&action)) /* libc hides the actions of its own signals */
			return true;
	return false;
}

void syscall_restart_yield(ucontext_t *context)
{
	struct sigaction action;
	uint64_t second, blocked;
	long number;
	int signal;

	if (!syscall_restart_call(context, &number, &second) || !can_end_early(number, second))
		return;
	memcpy(&blocked, &context->uc_sigmask, sizeof(blocked));
	signal = next_signal(blocked);
	if (!signal || signal == session.signal || session.libc->sigaction(signal, NULL, &action))
		return;
	if (has_handler(&action) && !(action.sa_flags & SA_RESTART))
		syscall_restart_return(context, -EINTR);
}

void syscall_restart_interrupt(ucontext_t *context)
{
	uint64_t second;
	long number;

	if (syscall_restart_call(context, &number, &second) && can_end_early(number, second))
		syscall_restart_return(context, -EINTR);
}

/* True for calls that end with EINTR after any handler (signal(7)) and can be made again: they have
 * no time-out, or the kernel has written back the time left (select(2), ppoll(2)). */
static bool can_be_made_again(long number, const uint64_t argument[6])
{
	static const long calls[] = {
		SYS_pause,	   SYS_select, SYS_pselect6, SYS_ppoll,
		SYS_rt_sigsuspend, SYS_semop,  SYS_msgrcv,   SYS_msgsnd,
	};

	if (number < 0)
		return false;
	if (number == SYS_epoll_wait || number == SYS_epoll_pwait)
		return (int)argument[3] < 0;
	if (number == SYS_clock_nanosleep)
		return argument[1] & TIMER_ABSTIME;
	return IS_ONE_OF(number, calls) || (number == SYS_semtimedop && !argument[3]);
}

/* True for sleeps that the kernel itself continues after a stop (restart_syscall(2)).  It must not
 * be asked to continue any other call: it would continue an earlier sleep. */
static bool is_continued_after_a_stop(long number, const uint64_t argument[6])
{
	static const long calls[] = { SYS_nanosleep, SYS_clock_nanosleep, SYS_poll, SYS_futex };

	return IS_ONE_OF(number, calls) && !can_be_made_again(number, argument);
}

/* Returns the result of the sleep; -EINTR at once if the kernel has nothing to continue. */
static long continue_sleep(uint64_t mask)
{
	long result;

	sys_sigmask(SIG_SETMASK, &mask, NULL);
	result = sys_restart();
	sys_signals_block();
	return result;
}

void syscall_restart_resume(ucontext_t *context, uint64_t mask)
{
	uint64_t argument[6];
	long number, result;

	/* `mask` includes our signal: an overflow on the way out of the call, or one more signal of
	 * our number, may be pending, and neither ends a call. */
	if (syscall_restart_result_of(context) != -EINTR ||
	    !syscall_restart_left(context, &number, argument) || next_signal(mask))
		return;
	if (can_be_made_again(number, argument)) {
		syscall_restart_again(context, number);
		return;
	}
	result = continue_sleep(mask);
	if (result != -EINTR)
		syscall_restart_result(context, result);
	else if (number < 0 && thread_self)
		thread_self->restart.ended_sp = siginfo_sp(context);
}

/* Once a handler of the target has returned, rt_sigreturn(2) has made the kernel forget the sleep,
 * and there is nothing to continue. */
void syscall_restart_stopped(ucontext_t *context)
{
	uint64_t argument[6], mask;
	long number;
	bool ended = syscall_restart_result_of(context) == -EINTR &&
		     syscall_restart_left(context, &number, argument) &&
		     is_continued_after_a_stop(number, argument);

	memcpy(&mask, &context->uc_sigmask, sizeof(mask));
	mask |= 1ULL << (session.signal - 1);
	if (ended && !handler_waits(mask))
		syscall_restart_result(context, continue_sleep(mask));
	else if (syscall_restart_number_of(context) == SYS_restart_syscall &&
		 syscall_restart_call(context, &number, argument))
		syscall_restart_return(context, continue_sleep(mask));
}

/* Clears the mark, and returns true if a call made below `frame` has left it.  Returns false for a
 * mark of a handler that ran in between, because that is farther away. */
static bool take_mark(uint64_t *mark, uint64_t frame)
{
	uint64_t sp = *mark;

	*mark = 0;
	return sp && frame - sp < FRAMES_BYTES;
}

static bool fetch(uint64_t *to, uint64_t from)
{
	if (!memory_is_readable_for(from, sizeof(*to)))
		return false;
	memcpy(to, (const void *)(uintptr_t)from, sizeof(*to)); /* NOLINT */
	return true;
}

bool syscall_restart_sleep_mask(const ucontext_t *context, uint64_t *mask)
{
	uint64_t argument[6], at;
	long number;

	if (syscall_restart_result_of(context) != -EINTR ||
	    !syscall_restart_left(context, &number, argument))
		return false;
	switch (number) {
	case SYS_rt_sigsuspend:
		return fetch(mask, argument[0]);
	case SYS_ppoll:
		return fetch(mask, argument[3]);
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
		return fetch(mask, argument[4]);
	case SYS_pselect6:
		return fetch(&at, argument[5]) && fetch(mask, at);
	default:
		return false;
	}
}

bool syscall_restart_is_due(long number, const long argument[6], uint64_t frame)
{
	return thread_self && take_mark(&thread_self->restart.ended_sp, frame) &&
	       can_be_made_again(number, (const uint64_t *)argument);
}

/* Waits for io_uring.  Linux 6.11 and later send our signal by task work on the way out of the
 * kernel, where it ends no call.  But io_uring_enter(2) runs the thread's task work before and
 * while it waits for completions (io_uring/io_uring.c, io_cqring_wait).  It then finds the signal
 * that this work sends, and ends: with EINTR, or with the number of submitted entries, as if the
 * wait had been successful. */

#define ENTRIES_MAX 32768 /* IORING_MAX_ENTRIES */

/* Flags IORING_ENTER_…: the headers of the build machine may be older. */
#define GETEVENTS (1U << 0)
#define EXT_ARG	  (1U << 3)
#define ABS_TIMER (1U << 5)
#define KNOWN	  (GETEVENTS | 1U << 1 | 1U << 2 | EXT_ARG | 1U << 4 | ABS_TIMER)

struct wait_argument { /* struct io_uring_getevents_arg */
	uint64_t mask;
	uint32_t mask_bytes;
	uint32_t least_us;
	uint64_t time;
};

/* True if the wait's end would move when the call is repeated.  The kernel has just read this
 * argument itself. */
static bool has_end_that_moves(uint64_t flags, uint64_t at)
{
	struct wait_argument argument;

	if (!memory_is_readable_for(at, sizeof(argument)))
		return true;
	memcpy(&argument, (const void *)at, sizeof(argument)); /* NOLINT */
	return argument.least_us || (argument.time && !(flags & ABS_TIMER));
}

static bool waits(const uint64_t argument[6])
{
	uint64_t flags = argument[3];

	return flags & GETEVENTS && !(flags & ~(uint64_t)KNOWN) && (uint32_t)argument[2] &&
	       !(flags & EXT_ARG && has_end_that_moves(flags, argument[4]));
}

void syscall_restart_ring(ucontext_t *context)
{
	long result = syscall_restart_result_of(context), number;
	uint64_t argument[6], blocked;

	if (!thread_self || (result != -EINTR && (result <= 0 || result > ENTRIES_MAX)) ||
	    !syscall_restart_left(context, &number, argument) ||
	    (number >= 0 && number != SYS_io_uring_enter))
		return;
	memcpy(&blocked, &context->uc_sigmask, sizeof(blocked));
	/* A sample at the return from the target's handler, whose signal ended the wait, also comes
	 * here. */
	if (syscall_restart_was_returned_to(context) ||
	    handler_waits(blocked | 1ULL << (session.signal - 1)))
		return;
	if (number < 0)
		thread_self->restart.cut_sp = siginfo_sp(context);
	else if (result == -EINTR && waits(argument))
		syscall_restart_again(context, number);
}

void syscall_restart_ring_begin(void)
{
	if (thread_self)
		thread_self->restart.cut_sp = 0;
}

bool syscall_restart_ring_was_cut(uint64_t frame, long result, const long argument[6])
{
	/* If not all entries could be submitted, the call does not wait. */
	bool whole = result > 0 ? result == argument[1] : result < 0 && errno == EINTR;

	return thread_self && take_mark(&thread_self->restart.cut_sp, frame) && whole &&
	       waits((const uint64_t *)argument);
}
