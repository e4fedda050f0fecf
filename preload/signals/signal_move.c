/*
 * Signals are blocked before a frame is made: one that came while it is made would have its own at
 * the same place.
 */

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "preload/signals/disposition.h"
#include "preload/signals/signal_by_number.h"
#include "preload/signals/signal_relay.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/session/thread.h"

static void replace(int signal)
{
	struct kernel_action action;
	uint64_t hidden;

	if (disposition_is_ours(signal) || signal_by_number_action(signal, NULL, &action))
		return;
	hidden = signal_relay_hide(action.handler, action.flags, action.mask);
	if (hidden == action.handler)
		return;
	action.handler = hidden;
	signal_by_number_action(signal, &action, NULL);
}

bool signal_move_begin(void)
{
	int saved = errno;

	if (signal_relay_has_begun())
		return true;
	if (!signal_relay_is_possible() || !signal_frame_is_able())
		return false;
	if (signal_relay_begin())
		for (int signal = 1; signal < NSIG; signal++)
			replace(signal);
	errno = saved;
	return true;
}

/* False where no system call may be made, and where the kernel's stack is not ours. */
static bool may_move(const ucontext_t *context)
{
	return thread_pointer_is_known() && thread_self && !sys_is_quiet() &&
	       atomic_load_explicit(&session.active, memory_order_relaxed) &&
	       signal_stack_shown(&thread_self->signal_stack, &context->uc_stack);
}

uint64_t signal_relay_choose(int signal, siginfo_t *info, void *context, bool kernel,
			     unsigned which)
{
	uint64_t handler = signal_relay_handler(which);
	struct sigaction action = { .sa_flags = SA_ONSTACK };
	struct signal_frame_call call = { .action = &action, .info = info, .signal = signal };

	if (!kernel || !may_move(context))
		return handler;
	action.sa_sigaction = (void (*)(int, siginfo_t *, void *))(uintptr_t)handler; /* NOLINT */
	call.mask = sys_signals_block();
	if (signal_frame_enter(context, &call))
		return 0;
	sys_signals_restore(call.mask);
	return handler;
}
