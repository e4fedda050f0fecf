/*
 * A thread that was taken out keeps a record.  It is not used for samples, but has the data needed
 * to take the thread in again.  The kernel's setting is for one thread: no other thread, new
 * thread or child has its calls dispatched because this one has.
 *
 * The selector is a byte of the target's.  The kernel reads it at each system call from outside
 * the range, and kills the target if it cannot be read.
 */
#include "preload/signals/syscall_dispatch.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/libc/libc.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/sys_make.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/life/thread_life.h"

/* linux/prctl.h; DISPATCH_INSIDE since Linux 6.17 */
#define DISPATCH_OFF	 0
#define DISPATCH_OUTSIDE 1 /* calls from outside the range are dispatched */
#define DISPATCH_INSIDE	 2 /* calls from inside the range are dispatched */
#define SELECTOR_ALLOWS	 0
#define CALL_BYTES	 4096 /* most bytes from a function's start to its instruction */

/* The record of a thread that was taken out. */
static __thread struct thread *aside;

static struct thread_caller_dispatch *kept(void)
{
	return &aside->caller.dispatch;
}

static bool passes(const struct thread_caller_dispatch *dispatch, uint64_t address)
{
	bool inside = address - dispatch->offset < dispatch->bytes &&
		      address + CALL_BYTES - dispatch->offset < dispatch->bytes;
	bool outside = address - dispatch->offset >= dispatch->bytes &&
		       address + CALL_BYTES - dispatch->offset >= dispatch->bytes;

	return dispatch->mode == DISPATCH_INSIDE ? outside : inside;
}

/* True if three kinds of calls pass: ours, the return from our handler, and the vDSO's fallback
 * to the kernel. */
static bool all_pass(const struct thread_caller_dispatch *dispatch)
{
	struct sigaction installed;

	if (!passes(dispatch, (uint64_t)(uintptr_t)sys_call) ||
	    !passes(dispatch, sys_clock_address()))
		return false;
	if (libc_own()->sigaction(session.signal, NULL, &installed))
		return false;
	return !installed.sa_restorer || passes(dispatch, (uint64_t)installed.sa_restorer);
}

static void take_out(void)
{
	struct thread *thread = thread_self;

	aside = thread_take();
	if (aside)
		*kept() = (struct thread_caller_dispatch){ .sampled = thread != NULL };
	if (aside && thread) {
		aside->is_main = thread->is_main;
		aside->stack.bytes = thread->stack.bytes;
	}
	thread_end();
	session_spool_note("a thread was not sampled while its system calls were dispatched to it "
			   "(PR_SET_SYSCALL_USER_DISPATCH)");
	sys_keep_quiet(true);
}

static void take_in(void)
{
	struct thread *thread = aside;
	bool sampled = thread && kept()->sampled;

	sys_keep_quiet(false);
	aside = NULL;
	if (!thread)
		return;
	if (sampled && session_is_here())
		thread_attach(thread);
	else
		thread_give(thread);
}

static struct thread_caller_dispatch wanted_by(const unsigned long argument[4])
{
	return (struct thread_caller_dispatch){
		.mode = argument[0],
		.offset = argument[1],
		.bytes = argument[2],
		.selector = (const volatile char *)argument[3], /* NOLINT */
	};
}

bool syscall_dispatch_before(const unsigned long argument[4])
{
	const struct thread_caller_dispatch wanted = wanted_by(argument);

	if (sys_is_quiet())
		return true;
	if (wanted.mode == DISPATCH_OFF || !thread_pointer_is_known() || !session_is_here() ||
	    all_pass(&wanted))
		return false;
	take_out();
	return true;
}

void syscall_dispatch_after(const unsigned long argument[4], bool out, bool succeeded)
{
	const struct thread_caller_dispatch wanted = wanted_by(argument);

	if (!out)
		return;
	if (succeeded && wanted.mode != DISPATCH_OFF && aside) {
		bool sampled = kept()->sampled;

		*kept() = wanted;
		kept()->sampled = sampled;
	} else if (succeeded ? wanted.mode == DISPATCH_OFF
			     : aside && kept()->mode == DISPATCH_OFF) {
		take_in();
	}
}

bool syscall_dispatch_lift(void)
{
	if (!sys_is_quiet() || !aside || !kept()->selector || *kept()->selector != SELECTOR_ALLOWS)
		return false;
	sys_keep_quiet(false);
	return true;
}

void syscall_dispatch_lower(bool lifted)
{
	if (lifted)
		sys_keep_quiet(true);
}

bool syscall_dispatch_is_out(void)
{
	return aside;
}

bool syscall_dispatch_fork_child(void)
{
	bool out = sys_is_quiet();

	sys_keep_quiet(false);
	aside = NULL;
	return out;
}

void syscall_dispatch_thread_end(void)
{
	if (!syscall_dispatch_lift())
		return; /* the record is lost: waiting for the lock needs a system call */
	thread_give(aside);
	aside = NULL;
	syscall_dispatch_lower(true);
}
