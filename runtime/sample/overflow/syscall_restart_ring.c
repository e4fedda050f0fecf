/*
 * Linux 6.11 and later send our signal by task work on the way out of the kernel, where it ends no
 * call.  But io_uring_enter(2) runs the thread's task work before and while it waits for
 * completions (io_uring/io_uring.c, io_cqring_wait).  It then finds the signal that this work
 * sends, and ends: with EINTR, or with the number of submitted entries, as if the wait had been
 * successful.
 */
#include "runtime/sample/overflow/syscall_restart.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

#include "runtime/sample/session/session.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/elf/memory.h"
#include "runtime/sample/sys/poison.h"

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

/* True if the call waits, and would wait until the same moment if repeated. */
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
	    syscall_restart_handler_waits(blocked | 1ULL << (session.signal - 1)))
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

	return thread_self && syscall_restart_take_mark(&thread_self->restart.cut_sp, frame) &&
	       whole && waits((const uint64_t *)argument);
}
