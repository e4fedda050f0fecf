/*
 * All threads share the virtual action.  Its lock is taken with all signals blocked, so that no
 * handler of the same thread can wait for it, and is held across fork.
 */
#include "preload/signals/disposition.h"

#include <errno.h>
#include <stddef.h>
#include <ucontext.h>

#include "preload/libc/libc.h"
#include "preload/signals/signal_mask.h"
#include "preload/signals/signal_relay.h"
#include "runtime/sample/overflow/handler.h"
#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/overflow/syscall_restart.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/lock.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/sys/together.h"
#include "runtime/sample/life/thread_life.h"

static int our_signal;
static struct sigaction target_action; /* under the lock */
static _Atomic uint32_t locked TOGETHER;

static uint64_t lock(void)
{
	uint64_t mask = sys_signals_block();

	lock_take(&locked);
	return mask;
}

static void unlock(uint64_t mask)
{
	lock_give(&locked);
	sys_signals_restore(mask);
}

void disposition_fork_lock(void)
{
	lock_take(&locked);
}

void disposition_fork_unlock(void)
{
	lock_give(&locked);
}

void disposition_start(int signal)
{
	libc_own()->sigaction(signal, NULL, &target_action);
	if (target_action.sa_handler ==
	    SIG_DFL) /* our trials restore it through libc, which adds flags */
		target_action = (struct sigaction){ .sa_handler = SIG_DFL };
	signal_mask_start(signal);
	our_signal = signal;
}

void disposition_stop(void)
{
	if (!our_signal)
		return;
	libc_own()->sigaction(our_signal, &target_action, NULL);
	signal_mask_stop();
	our_signal = 0;
}

bool disposition_is_ours(int signal)
{
	return our_signal && signal == our_signal;
}

int disposition_signal(void)
{
	return our_signal;
}

/* Add the fields that glibc sets for the kernel: the action that is read back must contain them
 * too. */
static void add_restorer(struct sigaction *action)
{
	struct sigaction installed;

	if (libc_own()->sigaction(our_signal, NULL, &installed))
		return;
	action->sa_restorer = installed.sa_restorer;
	action->sa_flags |=
		installed.sa_flags & ~(SA_SIGINFO | SA_RESTART | SA_ONSTACK | SA_NODEFER |
				       (int)SA_RESETHAND | SA_NOCLDSTOP | SA_NOCLDWAIT);
}

/* True in a child that shares our memory but not our table of actions (vfork).  What it sets
 * goes to the kernel.  Until it sets an action, it has inherited the target's. */
static bool is_apart(void)
{
	return !session_is_here() && !sys_shares_handlers(sys_getpid(), session.pid);
}

static int action_apart(const struct sigaction *action, struct sigaction *old)
{
	struct sigaction now, wanted;

	if (action)
		wanted = *action; /* action and old may be the same object */
	if (libc_own()->sigaction(our_signal, action ? &wanted : NULL, &now))
		return -1;
	if (old)
		*old = handler_is(&now) ? target_action : now;
	return 0;
}

/* Setting the action to ignore discards pending signals in all threads (sigaction(2)). */
static void discard_pending(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	libc_own()->sigaction(our_signal, &ignore, NULL);
	handler_install();
}

int disposition_action(const struct sigaction *action, struct sigaction *old, bool by_number)
{
	struct sigaction now, before;
	uint64_t mask;

	if (is_apart())
		return action_apart(action, old);
	if (action) {
		now = *action;
		sigdelset(&now.sa_mask, SIGKILL);
		sigdelset(&now.sa_mask, SIGSTOP);
		if (!by_number)
			add_restorer(&now);
	}
	mask = lock();
	before = target_action;
	if (action)
		target_action = now;
	if (action && action->sa_handler == SIG_IGN)
		discard_pending();
	unlock(mask);
	if (old)
		*old = before;
	return 0;
}

/* The signal arrives when the handler returns, and takes the default action. */
static void die(int signal, siginfo_t *info, ucontext_t *context)
{
	struct sigaction standard = { .sa_handler = SIG_DFL };

	libc_own()->sigaction(signal, &standard, NULL);
	sigdelset(&context->uc_sigmask, signal);
	sys_sigqueue_thread(sys_getpid(), sys_gettid(), signal, info);
}

static void call_here(ucontext_t *context, const struct signal_frame_call *call, int saved)
{
	const struct sigaction *action = call->action;
	struct mask_emulation_saved before;
	siginfo_t *info = call->info;
	int signal = call->signal;

	signal_mask_enter(&before, call->blocked);
	errno = saved;
	sys_sigmask(SIG_SETMASK, &call->mask, NULL);
	if (action->sa_flags & SA_SIGINFO)
		action->sa_sigaction(signal, info, context);
	else
		action->sa_handler(signal);
	saved = errno; /* the target sees the errno that its handler left */
	sys_signals_block();
	signal_mask_leave(&before, context);
	errno = saved;
}

static bool is_go(const struct sigaction *action)
{
	return action->sa_flags & SA_ONSTACK &&
	       signal_relay_stays((uint64_t)(uintptr_t)action->sa_sigaction,
				  mask_emulation_word(&action->sa_mask));
}

/* Call the target's handler with the mask that the kernel would have set.  If the signal ended a
 * call that slept with a mask, that mask is the base.  Our own signal stays unblocked.  The
 * handler may leave by siglongjmp, which then restores the mask. */
static void call_target(int signal, siginfo_t *info, ucontext_t *context,
			const struct sigaction *action, int saved)
{
	struct signal_frame_call call = {
		.action = action,
		.info = info,
		.signal = signal,
		.emulated = true,
		.blocked = !(action->sa_flags & SA_NODEFER) ||
			   sigismember(&action->sa_mask, our_signal) > 0,
	};

	if (!syscall_restart_sleep_mask(context, &call.mask))
		call.mask = mask_emulation_word(&context->uc_sigmask);
	call.mask |= mask_emulation_word(&action->sa_mask);
	call.mask &= ~mask_emulation_bit;
	if (!(action->sa_flags & SA_RESTART))
		syscall_restart_interrupt(context);
	if (!is_go(action) && signal_frame_enter(context, &call))
		errno = saved;
	else
		call_here(context, &call, saved);
}

/* An action with SA_RESETHAND serves once: the default action replaces it. */
static struct sigaction take_action(void)
{
	struct sigaction action, standard = { .sa_handler = SIG_DFL };
	uint64_t mask = lock();
	bool once;

	action = target_action;
	once = action.sa_flags & (int)SA_RESETHAND && action.sa_handler != SIG_IGN;
	if (once && !is_apart())
		target_action.sa_handler = SIG_DFL;
	else if (once)
		libc_own()->sigaction(our_signal, &standard, NULL);
	unlock(mask);
	return action;
}

static void ignore(ucontext_t *context)
{
	syscall_restart_resume(context,
			       mask_emulation_word(&context->uc_sigmask) | mask_emulation_bit);
}

void disposition_foreign(int signal, siginfo_t *info, void *context)
{
	bool synchronous = siginfo_is_synchronous(info, context);
	bool emulated = signal_mask_emulates(context);
	int saved = errno;
	struct sigaction action;

	thread_info_of(info);
	if (emulated && !synchronous) {
		signal_mask_keep(info, context);
		errno = saved;
		return;
	}
	action = take_action();
	if (action.sa_handler == SIG_IGN && !synchronous) {
		ignore(context);
		errno = saved;
	} else if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL || emulated) {
		die(signal, info, context);
	} else {
		call_target(signal, info, context, &action, saved);
	}
}

/* False in a child that has an action of its own: then there is nothing to show. */
static bool is_hidden(void)
{
	struct sigaction now;

	return our_signal && target_action.sa_handler == SIG_IGN && thread_pointer_is_known() &&
	       !libc_own()->sigaction(our_signal, NULL, &now) && handler_is(&now);
}

void disposition_show(struct disposition_shown *shown)
{
	struct sigaction action = { .sa_handler = SIG_IGN };

	thread_pointer_ask();
	shown->mask = signal_mask_show();
	shown->action = is_hidden();
	if (shown->action)
		libc_own()->sigaction(our_signal, &action, NULL);
}

void disposition_hide(const struct disposition_shown *shown)
{
	int saved = errno;

	if (shown->action)
		handler_install();
	if (shown->mask)
		signal_mask_hide();
	errno = saved;
}
