/*
 * The alternate signal stack of a sampled thread.  A thread gets our stack if it has none, or one
 * too small for two frames of the kernel and our handler.  The target still sees its own setting in
 * sigaltstack(2).
 */
#ifndef RUNTIME_SAMPLE_SIGNAL_STACK_H
#define RUNTIME_SAMPLE_SIGNAL_STACK_H

#include <signal.h>
#include <stdint.h>

#define SIGNAL_STACK_BYTES 65536UL

struct signal_stack {
	void *memory;	/* SIGNAL_STACK_BYTES, with a guard page below; set once by the owner */
	stack_t target; /* the target's own setting while ours is installed; SS_DISABLE: none */
	_Bool watched;	/* between take and leave: sigaltstack(2) is redirected */
};

/* Install our stack if the thread needs it, and remove it again, with the target's own restored.
 * Context: thread, the stack's own. */
void signal_stack_take(struct signal_stack *stack);
void signal_stack_leave(struct signal_stack *stack);

/* sigaltstack(2) as the target sees it.  Returns 0, or -errno as the system call would.  Context:
 * thread. */
int signal_stack_change(struct signal_stack *stack, const stack_t *wanted, stack_t *old);

/* Install our stack instead of the target's own if that lies in the range start to end, which the
 * target is about to unmap.  A program may free a stack and leave it registered as long as none of
 * its own signals arrives, but ours do.  Context: thread. */
void signal_stack_unmap(struct signal_stack *stack, uint64_t start, uint64_t end);

/* sigaltstack(2) in a vfork child, which shares this memory but has its own stack setting.  The
 * setting changes, the record does not.  Returns 0 or -errno.  Context: thread. */
int signal_stack_change_here(const struct signal_stack *stack, const stack_t *wanted, stack_t *old);

#endif
