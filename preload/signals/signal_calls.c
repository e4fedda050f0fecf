/*
 * Signal calls of the target on our signal are answered from its virtual view.  All others go to
 * the next definition of their own name.  For our signal, the BSD and System V calls are expressed
 * by sigaction and sigprocmask, as in glibc itself, because calls inside libc do not pass through
 * the interposed functions.
 */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "preload/libc/libc.h"
#include "preload/libc/readable.h"
#include "preload/libc/real.h"
#include "preload/signals/disposition.h"
#include "preload/signals/signal_by_number.h"
#include "preload/signals/signal_mask.h"
#include "preload/signals/signal_relay.h"
#include "runtime/sample/elf/loader.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"

/* Exported by glibc, but declared in no header (bsd_signal: no longer). */
int __sigaction(int signal, const struct sigaction *action, struct sigaction *old);
interposed_handler bsd_signal(int number, interposed_handler handler);

static void note_mask(const struct sigaction *action)
{
	if (action && !mask_emulation_is_used() && disposition_signal() &&
	    mask_emulation_word(&action->sa_mask) & mask_emulation_bit)
		mask_emulation_use();
}

/* The kernel has the entry of a handler that runs on a signal stack; action and old may be the same
 * object. */
static int change_action(int (*next)(int, const struct sigaction *, struct sigaction *), int signal,
			 const struct sigaction *action, struct sigaction *old)
{
	struct sigaction wanted;
	uint64_t hidden;
	int result;

	if (action) {
		wanted = *action;
		hidden = signal_relay_hide((uint64_t)(uintptr_t)wanted.sa_sigaction,
					   (uint64_t)wanted.sa_flags,
					   mask_emulation_word(&wanted.sa_mask));
		wanted.sa_sigaction =
			(void (*)(int, siginfo_t *, void *))(uintptr_t)hidden; /* NOLINT */
	}
	result = next(signal, action ? &wanted : NULL, old);
	if (!result && old)
		signal_relay_show_action(old);
	return result;
}

static interposed_handler shown(interposed_handler handler)
{
	return (interposed_handler)(uintptr_t)signal_relay_show(/* NOLINT */
								(uint64_t)(uintptr_t)handler);
}

#define DEFINE_ACTION(name)                                                         \
	int name(int signal, const struct sigaction *action, struct sigaction *old) \
	{                                                                           \
		if (disposition_is_ours(signal))                                    \
			return disposition_action(action, old, false);              \
		note_mask(action);                                                  \
		return change_action(real()->name, signal, action, old);            \
	}

DEFINE_ACTION(sigaction)
DEFINE_ACTION(__sigaction)

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return signal_mask_change(real()->sigprocmask, how, set, old);
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return signal_mask_change(real_now()->pthread_sigmask, how, set, old);
}

static interposed_handler replace(int signal, interposed_handler handler, int flags,
				  bool mask_itself)
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = flags }, old;

	if (handler == SIG_ERR) {
		errno = EINVAL;
		return SIG_ERR;
	}
	sigemptyset(&action.sa_mask);
	if (mask_itself)
		sigaddset(&action.sa_mask, signal);
	return disposition_action(&action, &old, false) ? SIG_ERR : old.sa_handler;
}

interposed_handler signal(int number, interposed_handler handler)
{
	if (disposition_is_ours(number))
		return replace(number, handler, SA_RESTART, true);
	return shown(real()->signal(number, handler));
}

interposed_handler sysv_signal(int number, interposed_handler handler)
{
	if (disposition_is_ours(number))
		return replace(number, handler, (int)(SA_RESETHAND | SA_NODEFER), false);
	return shown(real()->sysv_signal(number, handler));
}

#define DEFINE_ALIAS(name, of)                                          \
	interposed_handler name(int number, interposed_handler handler) \
	{                                                               \
		if (!disposition_is_ours(number) && real()->name)       \
			return shown(real()->name(number, handler));    \
		return of(number, handler);                             \
	}

DEFINE_ALIAS(bsd_signal, signal)
DEFINE_ALIAS(ssignal, signal)
DEFINE_ALIAS(__sysv_signal, sysv_signal)

static bool change_one(int how, int number)
{
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, number);
	signal_mask_change(libc_own()->sigprocmask, how, &set, &old);
	return sigismember(&old, number) > 0;
}

interposed_handler sigset(int number, interposed_handler disposition)
{
	interposed_handler before;
	struct sigaction now;
	bool blocked;

	if (!disposition_is_ours(number))
		return shown(real()->sigset(number, disposition));
	if (disposition == SIG_HOLD) {
		blocked = change_one(SIG_BLOCK, number);
		disposition_action(NULL, &now, false);
		return blocked ? SIG_HOLD : now.sa_handler;
	}
	before = replace(number, disposition, 0, false);
	blocked = change_one(SIG_UNBLOCK, number);
	return blocked ? SIG_HOLD : before;
}

int sighold(int number)
{
	if (!disposition_is_ours(number))
		return real()->sighold(number);
	change_one(SIG_BLOCK, number);
	return 0;
}

int sigrelse(int number)
{
	if (!disposition_is_ours(number))
		return real()->sigrelse(number);
	change_one(SIG_UNBLOCK, number);
	return 0;
}

int sigignore(int number)
{
	if (!disposition_is_ours(number))
		return real()->sigignore(number);
	return replace(number, SIG_IGN, 0, false) == SIG_ERR ? -1 : 0;
}

int siginterrupt(int number, int interrupts)
{
	struct sigaction action;

	if (!disposition_is_ours(number))
		return real()->siginterrupt(number, interrupts);
	disposition_action(NULL, &action, false);
	action.sa_flags = interrupts ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
	return disposition_action(&action, NULL, false);
}

static int mask_of(const sigset_t *set)
{
	int mask = 0;

	for (int number = 1; number < 32; number++)
		if (sigismember(set, number) > 0)
			mask |= (int)(1u << (number - 1));
	return mask;
}

static int change_really(int how, const sigset_t *set, sigset_t *old)
{
	int (*next)(int) = how == SIG_BLOCK ? real()->sigblock : real()->sigsetmask;

	if (!next)
		return libc_own()->sigprocmask(how, set, old);
	signal_mask_of_bsd(next(mask_of(set)), old);
	return 0;
}

static int get_mask_really(int how, const sigset_t *set, sigset_t *old)
{
	if (!real()->siggetmask)
		return libc_own()->sigprocmask(how, set, old);
	signal_mask_of_bsd(real()->siggetmask(), old);
	return 0;
}

static int change_by_mask(int (*change)(int, const sigset_t *, sigset_t *), int how, int mask)
{
	sigset_t set, old;

	signal_mask_of_bsd(mask, &set);
	if (signal_mask_change(change, how, &set, &old))
		return -1;
	return mask_of(&old);
}

int sigblock(int mask)
{
	return change_by_mask(change_really, SIG_BLOCK, mask);
}

int sigsetmask(int mask)
{
	return change_by_mask(change_really, SIG_SETMASK, mask);
}

int siggetmask(void)
{
	return change_by_mask(get_mask_really, SIG_BLOCK, 0);
}

static void replace_by_entry(int signal)
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

/* The target is about to set a signal stack.  Returns true if its handlers are moved there, from
 * now on; those that it has set before are replaced by entries.  Returns false where frames cannot
 * be made, or where libc does not tell which object a handler belongs to. */
static bool begin_to_move(void)
{
	int saved = errno;

	if (signal_relay_has_begun())
		return true;
	if (!signal_relay_entries().count || !loader_find_object || !signal_frame_is_able())
		return false;
	if (signal_relay_begin())
		for (int signal = 1; signal < NSIG; signal++)
			replace_by_entry(signal);
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
	/* a signal that came while the frame is made would have its own at the same place */
	call.mask = sys_signals_block();
	if (signal_frame_enter(context, &call))
		return 0;
	sys_signals_restore(call.mask);
	return handler;
}

int sigaltstack(const stack_t *stack, stack_t *old)
{
	struct thread *thread = thread_self;
	int err;

	if (!thread || !thread->signal_stack.watched ||
	    !atomic_load_explicit(&session.active, memory_order_relaxed))
		return real()->sigaltstack(stack, old);
	if ((stack && !readable_bytes(stack, sizeof(*stack))) ||
	    (old && !readable_bytes(old, sizeof(*old)))) {
		errno = EFAULT;
		return -1;
	}
	if (!session_is_here())
		err = signal_stack_change_here(&thread->signal_stack, stack, old);
	else
		err = signal_stack_change(&thread->signal_stack, stack, old,
					  stack && !(stack->ss_flags & SS_DISABLE) &&
						  begin_to_move());
	if (err)
		errno = -err;
	return err ? -1 : 0;
}
