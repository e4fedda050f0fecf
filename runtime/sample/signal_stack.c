/*
 * Our stack is larger than a small one that it replaces, so the target's handlers have more room,
 * not less.  Two kinds of the target's own stack stay in place: one that is large enough, and one
 * that disarms itself (SS_AUTODISARM), because its handlers may leave and return later.
 *
 * Signals are blocked while the setting in the kernel changes.  Otherwise an overflow in between
 * would be delivered to the small stack.
 */
#include "runtime/sample/signal_stack.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

#include "runtime/sample/sys/sys.h"

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif
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

static bool put_ours(const struct signal_stack *stack)
{
	const stack_t ours = { .ss_sp = stack->memory, .ss_size = SIGNAL_STACK_BYTES };

	return !sys_sigaltstack(&ours, NULL);
}

/* One system call is enough if the thread has no stack, as new threads do (signals are blocked).  A
 * thread that runs on its own stack gets EPERM, and keeps that stack. */
void signal_stack_take(struct signal_stack *stack)
{
	const stack_t ours = { .ss_sp = stack->memory, .ss_size = SIGNAL_STACK_BYTES };
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

/* The kernel checks the target's request.  Then our stack is installed again if the requested one
 * is too small. */
static int replace(struct signal_stack *stack, const stack_t *wanted)
{
	int err = sys_sigaltstack(wanted, NULL);

	if (err)
		return err;
	stack->target = *wanted;
	if (!will_do(wanted))
		put_ours(stack);
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

int signal_stack_change(struct signal_stack *stack, const stack_t *wanted, stack_t *old)
{
	uint64_t mask;
	bool borrowed = false;
	stack_t now;
	int err;

	mask = sys_signals_block();
	err = sys_sigaltstack(NULL, &now);
	if (!err && now.ss_sp == stack->memory) {
		int on_stack = now.ss_flags & SS_ONSTACK;

		borrowed = on_stack && is_disabled(&stack->target);
		now = stack->target;
		now.ss_flags |= borrowed ? 0 : on_stack;
	}
	if (!err && wanted)
		err = borrowed ? replace_virtually(stack, wanted) : replace(stack, wanted);
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
		put_ours(stack);
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
