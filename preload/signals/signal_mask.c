/*
 * A request of the target is answered from the kernel's mask and the calling thread's veil, and
 * changes both.
 */
#include "preload/signals/signal_mask.h"

#include <stddef.h>

#include "runtime/sample/perf/siginfo.h"
#include "runtime/sample/overflow/syscall_restart.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/life/thread_life.h"

static int our_signal;

void signal_mask_start(int signal)
{
	mask_emulation_bit = 1ULL << (signal - 1);
	if (mask_emulation_mask() & mask_emulation_bit && !mask_emulation_is_pending()) {
		signal_veil.veil = MASK_EMULATION_FROM_PARENT;
		mask_emulation_set(SIG_UNBLOCK);
	}
	if (mask_emulation_mask() & mask_emulation_bit || signal_veil.veil)
		mask_emulation_use();
	our_signal = signal;
}

void signal_mask_stop(void)
{
	if (signal_veil.veil)
		mask_emulation_set(SIG_BLOCK);
	signal_veil.veil = MASK_EMULATION_NONE;
	mask_emulation_bit = 0;
	our_signal = 0;
}

void signal_mask_settle(void)
{
	if (!our_signal || !(mask_emulation_mask() & mask_emulation_bit))
		return;
	mask_emulation_shut();
	thread_drop_queued();
}

bool signal_mask_pass_on(void)
{
	if (!mask_emulation_is_on() || !session_is_here())
		return false;
	mask_emulation_set(SIG_BLOCK);
	return true;
}

void signal_mask_passed_on(void)
{
	mask_emulation_set(SIG_UNBLOCK);
}

bool signal_mask_inherit(bool veiled)
{
	uint64_t mask;

	if (!our_signal)
		return false;
	mask = mask_emulation_mask();
	if (!(mask & mask_emulation_bit))
		return false;
	mask_emulation_use();
	if (mask_emulation_is_meant() || mask_emulation_is_pending())
		return true;
	if (mask_emulation_is_nearly_all(mask))
		mask_emulation_put_on(MASK_EMULATION_NEARLY_ALL);
	else if (veiled)
		mask_emulation_put_on(MASK_EMULATION_FROM_PARENT);
	return !signal_veil.veil;
}

void signal_mask_of_bsd(int mask, sigset_t *set)
{
	sigemptyset(set);
	for (int number = 1; number < 32; number++)
		if ((unsigned)mask & 1u << (number - 1))
			sigaddset(set, number);
}

static bool is_known(int how)
{
	return how == SIG_BLOCK || how == SIG_UNBLOCK || how == SIG_SETMASK;
}

static uint64_t changed(int how, uint64_t mask, uint64_t set)
{
	if (how == SIG_BLOCK)
		return mask | set;
	return how == SIG_UNBLOCK ? mask & ~set : set;
}

/* The veil that keeps our signal unblocked although the target blocks it.  MASK_EMULATION_NONE: the
 * block is real. */
static enum mask_emulation choose_veil(uint64_t before, uint64_t after, enum mask_emulation held)
{
	if (held == MASK_EMULATION_IN_HANDLER)
		return held;
	if (mask_emulation_is_meant())
		return MASK_EMULATION_NONE;
	if (held == MASK_EMULATION_FROM_PARENT)
		return held;
	if (!mask_emulation_is_nearly_all(after) ||
	    (!held && before & mask_emulation_bit && mask_emulation_is_pending()))
		return MASK_EMULATION_NONE;
	return MASK_EMULATION_NEARLY_ALL;
}

/* In a vfork child: from now on only the kernel has its mask. */
static void own_mask(uint64_t mask)
{
	pid_t pid = sys_getpid();

	if (signal_veil.child == pid)
		return;
	signal_veil.child = pid;
	if (mask_emulation_holds(mask, mask_emulation_sp()))
		mask_emulation_set(SIG_BLOCK);
}

static int change_here(int (*change)(int, const sigset_t *, sigset_t *), int how,
		       const sigset_t *set, sigset_t *old, uint64_t real)
{
	enum mask_emulation held = mask_emulation_holds(real, mask_emulation_sp())
					   ? signal_veil.veil
					   : MASK_EMULATION_NONE;
	uint64_t before = held ? real | mask_emulation_bit : real;
	uint64_t after = changed(how, before, mask_emulation_word(set));
	sigset_t wanted = *set;
	enum mask_emulation veil = MASK_EMULATION_NONE;
	int result;

	if (after & mask_emulation_bit && !(before & mask_emulation_bit) &&
	    !mask_emulation_is_nearly_all(mask_emulation_word(set)))
		atomic_store_explicit(&mask_emulation_meant, 1, memory_order_relaxed);
	if (after & mask_emulation_bit)
		veil = choose_veil(before, after, held);
	if (veil)
		sigdelset(&wanted, our_signal);
	if (after & mask_emulation_bit && !veil && !(real & mask_emulation_bit && signal_veil.shut))
		mask_emulation_block();
	signal_veil.veil = (uint8_t)veil;
	if (after & mask_emulation_bit && !veil && how == SIG_SETMASK)
		sigaddset(&wanted, our_signal);
	result = change(how, &wanted, old);
	if (veil && real & mask_emulation_bit)
		mask_emulation_set(SIG_UNBLOCK);
	if (!(after & mask_emulation_bit) || veil)
		mask_emulation_open();
	if (!result && old && before & mask_emulation_bit)
		sigaddset(old, our_signal);
	else if (!result && old)
		sigdelset(old, our_signal);
	return result;
}

/* True if the result of the call does not depend on the state before it.  The change itself then
 * returns the mask before. */
static bool is_plain(int how, uint64_t set)
{
	if (signal_veil.shut || signal_veil.veil > MASK_EMULATION_NEARLY_ALL)
		return false;
	if (how == SIG_UNBLOCK)
		return set & mask_emulation_bit;
	if (!(set & mask_emulation_bit))
		return how == SIG_SETMASK;
	return (how == SIG_BLOCK || how == SIG_SETMASK) && mask_emulation_is_nearly_all(set) &&
	       !mask_emulation_is_meant();
}

/* After a plain change to `veil` in a thread whose real mask was `real`.  A signal of the
 * target's that arrived meanwhile may have made the block real. */
static void settle_plain(enum mask_emulation veil, int how, uint64_t real, bool held)
{
	bool blocked = veil && how == SIG_BLOCK && real & mask_emulation_bit;

	if ((!signal_veil.shut && !blocked) || !session_is_here())
		return;
	if (signal_veil.shut && !veil)
		mask_emulation_open();
	else if (signal_veil.shut && !(mask_emulation_mask() & mask_emulation_bit))
		mask_emulation_put_on(veil);
	if (signal_veil.shut || !blocked)
		return;
	if (!held && mask_emulation_is_pending())
		mask_emulation_block();
	else
		mask_emulation_put_on(veil);
}

static int change_plainly(int (*change)(int, const sigset_t *, sigset_t *), int how,
			  const sigset_t *set, sigset_t *old)
{
	bool blocks = how != SIG_UNBLOCK && mask_emulation_word(set) & mask_emulation_bit;
	enum mask_emulation veil = blocks ? MASK_EMULATION_NEARLY_ALL : MASK_EMULATION_NONE;
	bool held = signal_veil.veil;
	sigset_t wanted = *set, was;
	uint64_t real;
	int result;

	if (!old)
		old = &was;
	if (veil)
		sigdelset(&wanted, our_signal);
	signal_veil.veil = (uint8_t)veil;
	result = change(how, &wanted, old);
	if (result)
		return result;
	real = mask_emulation_word(old);
	held = held && mask_emulation_is_nearly_all(real);
	if (held)
		sigaddset(old, our_signal);
	settle_plain(veil, how, real, held);
	return 0;
}

static int ask(int (*change)(int, const sigset_t *, sigset_t *), int how, sigset_t *old)
{
	int result = change(how, NULL, old);

	if (!result && old && mask_emulation_holds(mask_emulation_word(old), mask_emulation_sp()))
		sigaddset(old, our_signal);
	return result;
}

static int change_apart(int (*change)(int, const sigset_t *, sigset_t *), int how,
			const sigset_t *set, sigset_t *old)
{
	own_mask(mask_emulation_mask());
	return change(how, set, old);
}

int signal_mask_change(int (*change)(int, const sigset_t *, sigset_t *), int how,
		       const sigset_t *set, sigset_t *old)
{
	bool named = our_signal && set && mask_emulation_word(set) & mask_emulation_bit;
	const struct mask_emulation_state *own;

	if (!our_signal || !thread_pointer_is_known())
		return change(how, set, old);
	own = mask_emulation_own();
	if (named)
		mask_emulation_use();
	else if (!own->veil && (!set || !own->shut))
		return change(how, set, old);
	if (!sharing_is_here())
		return change_apart(change, how, set, old);
	if (!set)
		return ask(change, how, old);
	if (is_plain(how, mask_emulation_word(set)))
		return change_plainly(change, how, set, old);
	if (!session_is_here()) /* the child of a fork that ran no fork handlers */
		return change_apart(change, how, set, old);
	if (is_known(how))
		return change_here(change, how, set, old, mask_emulation_mask());
	return change(how, set, old); /* invalid `how`: the kernel returns the error */
}

bool signal_mask_show(void)
{
	uint64_t mask;

	if (!our_signal || !signal_veil.veil)
		return false;
	mask = mask_emulation_mask();
	if (!session_is_here()) {
		own_mask(mask);
		return false;
	}
	if (!mask_emulation_holds(mask, mask_emulation_sp()))
		return false;
	mask_emulation_shut_briefly();
	mask_emulation_set(SIG_BLOCK);
	thread_drop_queued();
	return true;
}

void signal_mask_hide(void)
{
	mask_emulation_put_on(signal_veil.veil);
}

bool signal_mask_veils(const ucontext_t *context)
{
	return signal_veil.veil &&
	       mask_emulation_holds(mask_emulation_word(&context->uc_sigmask), siginfo_sp(context));
}

void signal_mask_keep(siginfo_t *info, ucontext_t *context)
{
	uint64_t mask = mask_emulation_word(&context->uc_sigmask);

	if (session_is_here()) {
		signal_veil.veil = MASK_EMULATION_NONE;
		mask_emulation_shut();
		thread_drop_queued();
	} else {
		signal_veil.child = sys_getpid();
	}
	sigaddset(&context->uc_sigmask, our_signal);
	thread_queue_again(info);
	syscall_restart_resume(context, mask | mask_emulation_bit);
}

void signal_mask_enter(struct mask_emulation_saved *saved, bool blocked)
{
	if (!thread_pointer_is_known())
		return;
	mask_emulation_use();
	saved->frame = signal_veil.frame;
	saved->veil = signal_veil.veil;
	saved->here = SIGNAL_VEIL_MARK ^ (uint64_t)(uintptr_t)saved;
	signal_veil.frame = (uint64_t)(uintptr_t)saved;
	signal_veil.veil = (uint8_t)(blocked ? MASK_EMULATION_IN_HANDLER : MASK_EMULATION_NONE);
}

void signal_mask_leave(const struct mask_emulation_saved *saved, const ucontext_t *context)
{
	if (!thread_pointer_is_known())
		return;
	signal_veil.frame = saved->frame;
	signal_veil.veil = saved->veil;
	if (!session_is_here())
		return;
	if (!(mask_emulation_word(&context->uc_sigmask) & mask_emulation_bit)) {
		mask_emulation_open();
	} else { /* the target's handler left our signal blocked */
		signal_veil.veil = MASK_EMULATION_NONE;
		mask_emulation_shut();
		thread_drop_queued();
	}
}
