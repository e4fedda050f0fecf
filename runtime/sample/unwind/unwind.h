/*
 * The unwinder: its start, and walks of the user stack of an interrupted thread, in our own loop
 * with libunwind's rules.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/sample/unwind/unwind_state.h"

/* Load libunwind privately, map the rule cache, close what libunwind opened.
 * Returns 0; or -errno (-ENOENT: no libunwind; walks then use frame pointers only).
 * Context: init, once per process image. */
int unwind_start(void);

/* Touch all memory that walks write to.  Otherwise a walk's first write to a page would cause a
 * page fault in a handler, which is visible in a target that counts page faults.  Context: init,
 * after unwind_start. */
void unwind_populate(void);

/* Forget all rules.  Call it after a library was unloaded.  Before glibc 2.35 it also takes the
 * list of loaded objects again (loader.h), under the loader's lock.  Context: thread. */
void unwind_forget(void);

#define UNWIND_MEMO_STEPS 256

/* One frame of an earlier walk: its registers, and the words of the stack that held its
 * caller's. */
struct unwind_step {
	uint64_t sp;
	uint64_t fp;
	uint64_t other;
	uint64_t pc;
	uint64_t return_at; /* address of the return address … */
	uint64_t returns;   /* … and what was there */
	uint64_t frame_at;  /* of the saved frame pointer; 0: not saved */
	uint64_t other_at;
};

/* The result of an earlier walk of the same thread.  W, R: walks of that thread; starts as
 * zeros. */
struct unwind_memo {
	uint64_t generation; /* of the rules */
	unsigned count;	     /* steps from one frame to the next: there is one more frame */
	bool useful;
	struct unwind_step step[UNWIND_MEMO_STEPS];
};

/* Where the frames of a walk lie, for those who want to know. */
struct unwind_frames {
	/* NULL: not wanted.  Room for one more than the frames: sps[i] is the stack pointer in
	 * frame i, and sps[i + 1] its CFA.  A frame whose CFA is not known, such as the outermost,
	 * is empty: both are equal. */
	uint64_t *sps;
	/* All of it can be read: the stack of the outermost frame.  On another stack, a coroutine's
	 * or a signal handler's, the walk may have begun. */
	struct unwind_range range;
};

/* Take the stack interrupted at *context, leaf first, into pcs[0 … max-1].  Each is the address
 * to look up: exact for the leaf and for frames interrupted by a signal, return address minus
 * one for callers.  The signal stack, if the context was taken on one, is read from
 * context->uc_stack.  Never faults, blocks, allocates; no system call unless a rule is missing.
 * errno may change.  Context: signal. */
void unwind_walk(const ucontext_t *context, const struct unwind_stack *stack, uint64_t *pcs,
		 unsigned max, struct unwind_result *result);

/* Like unwind_walk(), and tell where the frames lie.  `max` is at least 1.  Context: signal. */
void unwind_walk_frames(const ucontext_t *context, const struct unwind_stack *stack, uint64_t *pcs,
			struct unwind_frames *frames, unsigned max, struct unwind_result *result);

#endif
