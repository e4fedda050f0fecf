/*
 * Where handlers cannot be moved to the target's stack, two kinds of it stay in place: one that is
 * large enough, and one that disarms itself (SS_AUTODISARM), because its handlers may leave and
 * return later.  Ours is larger than a small one that it replaces, so handlers have more room, not
 * less.
 *
 * Signals are blocked while the setting in the kernel changes.  Otherwise an overflow in between
 * would be delivered to the small stack.
 */
#include "runtime/sample/session/signal_stack.h"

#include <errno.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "runtime/sample/sys/sys.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* A frame of the target's signal, one of ours, and a third for the needs of the handlers. */
#define FRAMES	     3
#define HANDLER_ROOM 4096
#define OLD_FRAME    2048 /* if the kernel reports none: signal.h's old MINSIGSTKSZ */

static size_t enough_bytes(void)
{
	size_t frame_bytes = getauxval(AT_MINSIGSTKSZ);

	return FRAMES * (frame_bytes ? frame_bytes : OLD_FRAME) + HANDLER_ROOM;
}

static bool is_disabled(const stack_t *stack)
{
	return stack->ss_flags & SS_DISABLE;
}

static bool will_do(const stack_t *stack)
{
	return !is_disabled(stack) &&
	       (stack->ss_size >= enough_bytes() || (unsigned)stack->ss_flags & SS_AUTODISARM);
}

static stack_t ours_of(const struct signal_stack *stack)
{
	return (stack_t){ .ss_sp = stack->memory, .ss_size = SIGNAL_STACK_BYTES };
}

static void put_ours(const struct signal_stack *stack, stack_t *replaced)
{
	const stack_t ours = ours_of(stack);

	sys_sigaltstack(&ours, replaced);
}

bool signal_stack_is_set(const struct signal_stack *stack)
{
	return stack->watched && !is_disabled(&stack->target);
}

bool signal_stack_is_on(const stack_t *stack, uint64_t address)
{
	return !is_disabled(stack) && !((unsigned)stack->ss_flags & SS_AUTODISARM) &&
	       address - (uint64_t)(uintptr_t)stack->ss_sp < stack->ss_size;
}

const stack_t *signal_stack_shown(const struct signal_stack *stack, const stack_t *kernel)
{
	return stack->watched && kernel->ss_sp == stack->memory ? &stack->target : NULL;
}

void signal_stack_entered(struct signal_stack *stack)
{
	if ((unsigned)stack->target.ss_flags & SS_AUTODISARM)
		stack->target = (stack_t){ .ss_flags = SS_DISABLE };
}

/* The kernel sets the stack of the frame only if the frame is not on the present one: after the
 * handler of one that disarms itself, for example. */
void signal_stack_returned(struct signal_stack *stack, stack_t *shown)
{
	if (!stack->watched)
		return;
	if (!signal_stack_is_on(&stack->target, (uint64_t)(uintptr_t)shown))
		stack->target = *shown;
	*shown = ours_of(stack);
}

/* One system call is enough if the thread has no stack, as new threads do (signals are blocked).  A
 * thread that runs on its own stack gets EPERM, and keeps that stack. */
void signal_stack_take(struct signal_stack *stack)
{
	const stack_t ours = ours_of(stack);
	stack_t now;

	stack->watched = !sys_sigaltstack(&ours, &now);
	if (!stack->watched) {
		stack->watched = !sys_sigaltstack(NULL, &now);
		return;
	}
	stack->target = now;
	if (will_do(&now))
		sys_sigaltstack(&now, NULL);
}

/* One system call is enough here too, unless the target has replaced our stack: then its own is set
 * again. */
void signal_stack_leave(struct signal_stack *stack)
{
	stack_t now;

	if (stack->watched && !sys_sigaltstack(&stack->target, &now) && now.ss_sp != stack->memory)
		sys_sigaltstack(&now, NULL);
	stack->watched = false;
}

/* The kernel checks the target's request.  Then our stack is installed again, unless handlers
 * cannot be moved and the requested one will do. */
static int replace(struct signal_stack *stack, const stack_t *wanted, bool moved)
{
	int err = sys_sigaltstack(wanted, NULL);

	if (err)
		return err;
	stack->target = *wanted;
	if (moved || !will_do(wanted))
		put_ours(stack, &stack->target);
	return 0;
}

/* A handler of the target runs on our stack, but without us it would run on the thread's own stack.
 * The kernel would refuse a change that the target may make there.  So only the record changes, and
 * our stack stays installed. */
static int replace_virtually(struct signal_stack *stack, const stack_t *wanted)
{
	if ((unsigned)wanted->ss_flags & ~(SS_AUTODISARM | SS_DISABLE | SS_ONSTACK))
		return -EINVAL;
	if (!is_disabled(wanted) && wanted->ss_size < OLD_FRAME)
		return -ENOMEM;
	stack->target = *wanted;
	return 0;
}

static int change(struct signal_stack *stack, const stack_t *wanted, const stack_t *now,
		  bool borrowed, bool moved)
{
	if (borrowed)
		return replace_virtually(stack, wanted);
	return now->ss_flags & SS_ONSTACK ? -EPERM : replace(stack, wanted, moved);
}

int signal_stack_change(struct signal_stack *stack, const stack_t *wanted, stack_t *old, bool moved)
{
	uint64_t here = (uint64_t)(uintptr_t)__builtin_frame_address(0), mask;
	bool borrowed = false;
	stack_t now;
	int err;

	mask = sys_signals_block();
	err = sys_sigaltstack(NULL, &now);
	if (!err && now.ss_sp == stack->memory) {
		int on_stack = now.ss_flags & SS_ONSTACK;

		borrowed = on_stack && is_disabled(&stack->target);
		now = stack->target;
		if (signal_stack_is_on(&now, here))
			on_stack = SS_ONSTACK;
		now.ss_flags |= borrowed ? 0 : on_stack;
	}
	if (!err && wanted)
		err = change(stack, wanted, &now, borrowed, moved);
	sys_signals_restore(mask);
	if (!err && old)
		*old = now;
	return err;
}

static bool overlaps(const stack_t *stack, uint64_t start, uint64_t end)
{
	uint64_t low = (uint64_t)(uintptr_t)stack->ss_sp;

	return low < end && start < low + stack->ss_size;
}

void signal_stack_unmap(struct signal_stack *stack, uint64_t start, uint64_t end)
{
	uint64_t mask;
	stack_t now;

	if (!stack->watched || is_disabled(&stack->target) || !overlaps(&stack->target, start, end))
		return;
	mask = sys_signals_block();
	if (!sys_sigaltstack(NULL, &now) && now.ss_sp == stack->target.ss_sp)
		put_ours(stack, NULL);
	sys_signals_restore(mask);
}

int signal_stack_change_here(const struct signal_stack *stack, const stack_t *wanted, stack_t *old)
{
	stack_t now;
	int err = sys_sigaltstack(wanted, &now);

	if (!err && old)
		*old = now.ss_sp == stack->memory ? stack->target : now;
	return err;
}
