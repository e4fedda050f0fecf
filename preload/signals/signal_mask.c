/*
 * A request of the target is answered from the kernel's mask and the calling thread's emulation,
 * and changes both.
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
		mask_state.emulation = MASK_EMULATION_FROM_PARENT;
		mask_emulation_set(SIG_UNBLOCK);
	}
	if (mask_emulation_mask() & mask_emulation_bit || mask_state.emulation)
		mask_emulation_use();
	our_signal = signal;
}

void signal_mask_stop(void)
{
	if (mask_state.emulation)
		mask_emulation_set(SIG_BLOCK);
	mask_state.emulation = MASK_EMULATION_NONE;
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

bool signal_mask_inherit(bool emulated)
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
		mask_emulation_begin(MASK_EMULATION_NEARLY_ALL);
	else if (emulated)
		mask_emulation_begin(MASK_EMULATION_FROM_PARENT);
	return !mask_state.emulation;
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

/* The emulation that keeps our signal unblocked although the target blocks it. MASK_EMULATION_NONE:
 * the block is real. */
static enum mask_emulation choose_emulation(uint64_t before, uint64_t after,
					    enum mask_emulation held)
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

	if (mask_state.child == pid)
		return;
	mask_state.child = pid;
	if (mask_emulation_holds(mask, mask_emulation_sp()))
		mask_emulation_set(SIG_BLOCK);
}

static int change_here(int (*change)(int, const sigset_t *, sigset_t *), int how,
		       const sigset_t *set, sigset_t *old, uint64_t real)
{
	enum mask_emulation held = mask_emulation_holds(real, mask_emulation_sp())
					   ? mask_state.emulation
					   : MASK_EMULATION_NONE;
	uint64_t before = held ? real | mask_emulation_bit : real;
	uint64_t after = changed(how, before, mask_emulation_word(set));
	sigset_t wanted = *set;
	enum mask_emulation emulation = MASK_EMULATION_NONE;
	int result;

	if (after & mask_emulation_bit && !(before & mask_emulation_bit) &&
	    !mask_emulation_is_nearly_all(mask_emulation_word(set)))
		atomic_store_explicit(&mask_emulation_meant, 1, memory_order_relaxed);
	if (after & mask_emulation_bit)
		emulation = choose_emulation(before, after, held);
	if (emulation)
		sigdelset(&wanted, our_signal);
	if (after & mask_emulation_bit && !emulation &&
	    !(real & mask_emulation_bit && mask_state.shut))
		mask_emulation_block();
	mask_state.emulation = (uint8_t)emulation;
	if (after & mask_emulation_bit && !emulation && how == SIG_SETMASK)
		sigaddset(&wanted, our_signal);
	result = change(how, &wanted, old);
	if (emulation && real & mask_emulation_bit)
		mask_emulation_set(SIG_UNBLOCK);
	if (!(after & mask_emulation_bit) || emulation)
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
	if (mask_state.shut || mask_state.emulation > MASK_EMULATION_NEARLY_ALL)
		return false;
	if (how == SIG_UNBLOCK)
		return set & mask_emulation_bit;
	if (!(set & mask_emulation_bit))
		return how == SIG_SETMASK;
	return (how == SIG_BLOCK || how == SIG_SETMASK) && mask_emulation_is_nearly_all(set) &&
	       !mask_emulation_is_meant();
}

/* After a plain change to `emulation` in a thread whose real mask was `real`.  A signal of the
 * target's that arrived meanwhile may have made the block real. */
static void settle_plain(enum mask_emulation emulation, int how, uint64_t real, bool held)
{
	bool blocked = emulation && how == SIG_BLOCK && real & mask_emulation_bit;

	if ((!mask_state.shut && !blocked) || !session_is_here())
		return;
	if (mask_state.shut && !emulation)
		mask_emulation_open();
	else if (mask_state.shut && !(mask_emulation_mask() & mask_emulation_bit))
		mask_emulation_begin(emulation);
	if (mask_state.shut || !blocked)
		return;
	if (!held && mask_emulation_is_pending())
		mask_emulation_block();
	else
		mask_emulation_begin(emulation);
}

static int change_plainly(int (*change)(int, const sigset_t *, sigset_t *), int how,
			  const sigset_t *set, sigset_t *old)
{
	bool blocks = how != SIG_UNBLOCK && mask_emulation_word(set) & mask_emulation_bit;
	enum mask_emulation emulation = blocks ? MASK_EMULATION_NEARLY_ALL : MASK_EMULATION_NONE;
	bool held = mask_state.emulation;
	sigset_t wanted = *set, was;
	uint64_t real;
	int result;

	if (!old)
		old = &was;
	if (emulation)
		sigdelset(&wanted, our_signal);
	mask_state.emulation = (uint8_t)emulation;
	result = change(how, &wanted, old);
	if (result)
		return result;
	real = mask_emulation_word(old);
	held = held && mask_emulation_is_nearly_all(real);
	if (held)
		sigaddset(old, our_signal);
	settle_plain(emulation, how, real, held);
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
	else if (!own->emulation && (!set || !own->shut))
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

	if (!our_signal || !mask_state.emulation)
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
	mask_emulation_begin(mask_state.emulation);
}

bool signal_mask_emulates(const ucontext_t *context)
{
	return mask_state.emulation &&
	       mask_emulation_holds(mask_emulation_word(&context->uc_sigmask), siginfo_sp(context));
}

void signal_mask_keep(siginfo_t *info, ucontext_t *context)
{
	uint64_t mask = mask_emulation_word(&context->uc_sigmask);

	if (session_is_here()) {
		mask_state.emulation = MASK_EMULATION_NONE;
		mask_emulation_shut();
		thread_drop_queued();
	} else {
		mask_state.child = sys_getpid();
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
	saved->frame = mask_state.frame;
	saved->emulation = mask_state.emulation;
	saved->here = MASK_EMULATION_MARK ^ (uint64_t)(uintptr_t)saved;
	mask_state.frame = (uint64_t)(uintptr_t)saved;
	mask_state.emulation = (uint8_t)(blocked ? MASK_EMULATION_IN_HANDLER : MASK_EMULATION_NONE);
}

void signal_mask_leave(const struct mask_emulation_saved *saved, const ucontext_t *context)
{
	if (!thread_pointer_is_known())
		return;
	mask_state.frame = saved->frame;
	mask_state.emulation = saved->emulation;
	if (!session_is_here())
		return;
	if (!(mask_emulation_word(&context->uc_sigmask) & mask_emulation_bit)) {
		mask_emulation_open();
	} else { /* the target's handler left our signal blocked */
		mask_state.emulation = MASK_EMULATION_NONE;
		mask_emulation_shut();
		thread_drop_queued();
	}
}
