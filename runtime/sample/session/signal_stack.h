/*
 * The alternate signal stack of a sampled thread.  The target may free its own stack and leave it
 * registered, as long as no signal comes that uses it; ours would.  So the kernel has our stack,
 * and the target's handlers are moved to its own (preload/signals/signal_relay.h).  Where they
 * cannot be moved, a thread gets our stack only if it has none, or one too small for two frames of
 * the kernel and our handler.  The target sees its own setting in sigaltstack(2).
 */
#ifndef RUNTIME_SAMPLE_SESSION_SIGNAL_STACK_H
#define RUNTIME_SAMPLE_SESSION_SIGNAL_STACK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#define SIGNAL_STACK_BYTES 65536UL

#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

struct signal_stack {
	void *memory;	/* SIGNAL_STACK_BYTES, with a guard page below; set once by the owner */
	stack_t target; /* the target's own setting while ours is installed; SS_DISABLE: none */
	_Bool watched;	/* between take and leave: sigaltstack(2) is redirected */
};

/* Install our stack if the thread needs it, and remove it again, with the target's own restored.
 * Context: thread, the stack's own. */
void signal_stack_take(struct signal_stack *stack);
void signal_stack_leave(struct signal_stack *stack);

/* True if the target has set a stack.  Context: thread. */
bool signal_stack_is_set(const struct signal_stack *stack);

/* True if `address` lies on this stack and a handler may be running there: one that disarms itself
 * (SS_AUTODISARM) is free again as soon as a handler begins.  Context: any. */
bool signal_stack_is_on(const stack_t *stack, uint64_t address);

/* The stack that the target has set, if `kernel`, which the kernel has, is ours; else NULL.
 * Context: signal. */
const stack_t *signal_stack_shown(const struct signal_stack *stack, const stack_t *kernel);

/* A handler of the target was given a frame that shows its own stack as the kernel's.  entered: the
 * handler is about to begin.  returned: the frame is about to be given to the kernel, which will
 * set *shown again; it is replaced by ours.  Context: signal, all signals blocked. */
void signal_stack_entered(struct signal_stack *stack);
void signal_stack_returned(struct signal_stack *stack, stack_t *shown);

/* sigaltstack(2) as the target sees it.  `moved`: handlers are moved to the stack that the target
 * sets, so the kernel keeps ours.  Returns 0, or -errno as the system call would.  Context:
 * thread. */
int signal_stack_change(struct signal_stack *stack, const stack_t *wanted, stack_t *old,
			bool moved);

/* Install our stack instead of the target's own if that lies in the range start to end, which the
 * target is about to unmap.  A program may free a stack and leave it registered as long as none of
 * its own signals arrives, but ours do.  Context: thread. */
void signal_stack_unmap(struct signal_stack *stack, uint64_t start, uint64_t end);

/* sigaltstack(2) in a vfork child, which shares this memory but has its own stack setting.  The
 * setting changes, the record does not.  Returns 0 or -errno.  Context: thread. */
int signal_stack_change_here(const struct signal_stack *stack, const stack_t *wanted, stack_t *old);

#endif
