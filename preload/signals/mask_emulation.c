/*
 * The emulation of a thread's mask lasts as long as the mask for which it began, or until the
 * handler in which it was put on returns.  Because a handler may be left by a jump, the stack
 * pointer decides whether it still runs.
 */
#include "preload/signals/signal_mask.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/machine_time.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/thread_pointer.h"
#include "runtime/sample/session/thread.h"
#include "runtime/sample/life/thread_life.h"

#define NEARLY_ALL 20 /* of the 31 standard signals: such a set means no particular signal */
#define STANDARD   0x7fffffffULL
#define BRIEF_NS   1000000 /* CPU time of a handler that may run during a sleeping call */

uint64_t mask_emulation_bit;
_Atomic uint32_t mask_emulation_meant;
_Atomic uint32_t mask_emulation_used;
static __thread struct mask_emulation_state own;

struct mask_emulation_state *mask_emulation_own(void)
{
	static struct mask_emulation_state nobody_s;

	if (thread_pointer_is_known())
		return &own;
	memset(&nobody_s, 0, sizeof(nobody_s));
	return &nobody_s;
}

uint64_t mask_emulation_word(const sigset_t *set)
{
	uint64_t mask;

	memcpy(&mask, set, sizeof(mask));
	return mask;
}

bool mask_emulation_is_nearly_all(uint64_t mask)
{
	return __builtin_popcountll(mask & STANDARD) >= NEARLY_ALL;
}

bool mask_emulation_is_meant(void)
{
	return atomic_load_explicit(&mask_emulation_meant, memory_order_relaxed);
}

bool mask_emulation_is_used(void)
{
	return atomic_load_explicit(&mask_emulation_used, memory_order_relaxed);
}

void mask_emulation_use(void)
{
	if (!mask_emulation_is_used())
		atomic_store_explicit(&mask_emulation_used, 1, memory_order_relaxed);
}

uint64_t mask_emulation_mask(void)
{
	uint64_t mask = 0;

	sys_sigmask(SIG_BLOCK, NULL, &mask);
	return mask;
}

bool mask_emulation_is_pending(void)
{
	uint64_t pending = 0;

	return !sys_sigpending(&pending) && pending & mask_emulation_bit;
}

static bool is_on(const stack_t *stack, uint64_t address)
{
	uint64_t low = (uint64_t)(uintptr_t)stack->ss_sp;

	return !(stack->ss_flags & SS_DISABLE) && address - low < stack->ss_size;
}

/* True if `sp` is below the handler's frame on the same stack.  After a siglongjmp it is
 * elsewhere. */
static bool is_in_handler(uint64_t sp)
{
	uint64_t frame = mask_state.frame;
	const struct mask_emulation_saved *saved = (void *)(uintptr_t)frame;
	const struct signal_stack *stack = thread_self ? &thread_self->signal_stack : NULL;
	stack_t shim = { .ss_size = SIGNAL_STACK_BYTES };

	if (sp >= frame || saved->here != (MASK_EMULATION_MARK ^ frame))
		return false;
	if (!stack)
		return true;
	shim.ss_sp = stack->memory;
	if (is_on(&shim, frame))
		return is_on(&shim, sp);
	return !is_on(&stack->target, frame) || is_on(&stack->target, sp);
}

bool mask_emulation_holds(uint64_t mask, uint64_t sp)
{
	switch (mask_state.emulation) {
	case MASK_EMULATION_NEARLY_ALL:
		return mask_emulation_is_nearly_all(mask);
	case MASK_EMULATION_IN_HANDLER:
		return is_in_handler(sp);
	case MASK_EMULATION_FROM_PARENT:
		return true;
	default:
		return false;
	}
}

uint64_t mask_emulation_sp(void)
{
	return (uint64_t)(uintptr_t)__builtin_frame_address(0);
}

bool mask_emulation_is_on(void)
{
	return mask_state.emulation &&
	       mask_emulation_holds(mask_emulation_mask(), mask_emulation_sp());
}

void mask_emulation_set(int how)
{
	sys_sigmask(how, &mask_emulation_bit, NULL);
}

/* Note it once, in the profile. */
static void say(void)
{
	static _Atomic uint32_t said;

	if (!atomic_exchange_explicit(&said, 1, memory_order_relaxed))
		session_spool_note("threads that block the signal of the samples, which the "
				   "program uses itself, were not sampled meanwhile");
}

void mask_emulation_shut(void)
{
	bool shut = mask_state.shut;

	if (shut && !mask_state.lifted_ns)
		return;
	mask_state.shut = true;
	mask_state.lifted_ns = 0;
	if (!thread_self)
		return;
	if (!shut)
		thread_pause();
	say();
}

void mask_emulation_shut_briefly(void)
{
	if (mask_state.shut)
		return;
	mask_state.shut = true;
	if (!thread_self)
		return;
	thread_pause();
	mask_state.lifted_ns = machine_time_ns(CLOCK_THREAD_CPUTIME_ID);
}

void mask_emulation_open(void)
{
	uint64_t lifted_ns = mask_state.lifted_ns;

	if (!mask_state.shut)
		return;
	mask_state.shut = false;
	mask_state.lifted_ns = 0;
	if (!thread_self)
		return;
	thread_resume();
	if (lifted_ns && machine_time_ns(CLOCK_THREAD_CPUTIME_ID) - lifted_ns > BRIEF_NS)
		say();
}

static void block(void)
{
	mask_emulation_set(SIG_BLOCK);
	thread_drop_queued();
}

/* The emulation goes on until the signal is really blocked.  Without emulation, a signal of the
 * target's that arrives in between would count as not blocked, and its default action kills. */
void mask_emulation_block(void)
{
	mask_emulation_shut();
	block();
	mask_state.emulation = MASK_EMULATION_NONE;
}

/* MASK_EMULATION_NEARLY_ALL stays: it holds again if a handler jumps to its mask. */
void mask_emulation_lift(void)
{
	mask_emulation_shut_briefly();
	block();
	if (mask_state.emulation != MASK_EMULATION_NEARLY_ALL)
		mask_state.emulation = MASK_EMULATION_NONE;
}

void mask_emulation_begin(enum mask_emulation emulation)
{
	mask_state.emulation = (uint8_t)emulation;
	mask_emulation_set(SIG_UNBLOCK);
	if (mask_state.emulation) /* else a signal of the target's came, and the block is real */
		mask_emulation_open();
}
