/*
 * Ours in the place of a small one is larger than what the target asked for, so its handlers
 * have more room, not less.  Two cases keep the target's own: one large enough, and one that
 * disarms itself (SS_AUTODISARM), since its handlers may leave and come back later.
 *
 * Signals are blocked while the kernel's choice changes: an overflow in between would be
 * delivered to the small stack.
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

/* A frame of the target's signal, one of ours, and as much again for what the handlers need. */
#define FRAMES	     3
#define HANDLER_ROOM 4096
#define OLD_FRAME    2048 /* where the kernel does not say: signal.h's old MINSIGSTKSZ */

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

/* One call where the thread has none, as new threads do (signals are blocked); a thread that is on
 * its own is refused with EPERM, and keeps it. */
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

/* The same: what lies there is ours, but where the target put another. */
void signal_stack_leave(struct signal_stack *stack)
{
	stack_t now;

	if (stack->watched && !sys_sigaltstack(&stack->target, &now) && now.ss_sp != stack->memory)
		sys_sigaltstack(&now, NULL);
	stack->watched = false;
}

/* The kernel judges what the target wants; then ours serves again if that is too small. */
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

/* A handler of the target's runs on ours where it would have run on the thread's own stack:
 * the kernel would refuse a change that is its right.  Ours goes on serving. */
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
