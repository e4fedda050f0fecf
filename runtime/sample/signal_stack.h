/*
 * The alternate signal stack of a sampled thread.  A thread without one, or with one too small
 * for two frames of the kernel and our handler, gets ours; the target reads back what it set.
 */
#ifndef RUNTIME_SAMPLE_SIGNAL_STACK_H
#define RUNTIME_SAMPLE_SIGNAL_STACK_H

#include <signal.h>
#include <stdint.h>

#define SIGNAL_STACK_BYTES 65536UL

struct signal_stack {
	void *memory;	/* SIGNAL_STACK_BYTES, a guard page below; set once by the owner */
	stack_t target; /* what the target set while ours serves; SS_DISABLE: nothing */
	_Bool watched;	/* between take and leave: sigaltstack(2) goes through change */
};

/* Put ours in place where it is needed, and away again, with the target's own restored.
 * Context: thread, the stack's own. */
void signal_stack_take(struct signal_stack *stack);
void signal_stack_leave(struct signal_stack *stack);

/* sigaltstack(2) as the target sees it.  Returns 0 or -errno, as that would.  Context: thread. */
int signal_stack_change(struct signal_stack *stack, const stack_t *wanted, stack_t *old);

/* The target is about to unmap these addresses: if its own stack lies there, ours serves from now
 * on.  A program may free a stack and leave it registered, as long as no signal of its own comes;
 * ours do come.  Context: thread. */
void signal_stack_unmap(struct signal_stack *stack, uint64_t start, uint64_t end);

/* sigaltstack(2) in a child that shares this memory but has a stack setting of its own (vfork):
 * the setting changes, the record does not.  Returns 0 or -errno.  Context: thread. */
int signal_stack_change_here(const struct signal_stack *stack, const stack_t *wanted, stack_t *old);

#endif
