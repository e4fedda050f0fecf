/*
 * The user stack of an interrupted thread: libunwind's knowledge, our loop.
 * See unwind.c for the walk's invariants, rule.h for how a rule is asked for and kept.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_H
#define RUNTIME_SAMPLE_UNWIND_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/sample/unwind_range.h"

/* Why a walk ended. */
enum unwind_end {
	UNWIND_LAST,	/* outermost frame reached */
	UNWIND_MAX,	/* `max` frames taken and more to come */
	UNWIND_NO_RULE, /* code without unwind information, and no believable frame pointer */
	UNWIND_BOUNDS,	/* the next load lies outside the thread's stack, or too little stack is
			   left under the handler to ask for a rule */
	UNWIND_BUSY,	/* a rule is missing and another thread is asking libunwind */
	UNWIND_FAILED,	/* a rule that cannot be expressed failed on the slow path */
};

#define UNWIND_MEMO_STEPS 256

/* One frame of an earlier walk: its registers, and the words of the stack that gave its caller's.
 */
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

/* What an earlier walk of the same thread found.  W, R: walks of that thread; starts as zeros. */
struct unwind_memo {
	uint64_t generation; /* of the rules */
	unsigned count;	     /* steps from one frame to the next: one frame more is there */
	bool useful;
	struct unwind_step step[UNWIND_MEMO_STEPS];
};

struct unwind_result {
	unsigned depth;
	enum unwind_end end;
	bool guessed;	 /* a frame comes from the frame pointer alone, or from a call */
	bool probed;	 /* the leaf is a uretprobe's trampoline, no frame of the program */
	unsigned misses; /* rules asked of libunwind */
	uint64_t end_pc; /* address of the frame that could not be unwound; 0 after LAST */
};

/* Load libunwind privately, map the rule cache, close what libunwind opened.
 * Returns 0; or -errno (-ENOENT: no libunwind; walks then use frame pointers only).
 * Context: init, once per process image. */
int unwind_start(void);

/* Touch all that walks write to.  Without this a page is taken when a walk first writes to it,
 * in a handler, which a target that counts page faults would see.
 * Context: init, after unwind_start. */
void unwind_populate(void);

/* Take the stack interrupted at *context, leaf first, into pcs[0 … max-1].  Each is the address
 * to look up: exact for the leaf and for frames interrupted by a signal, return address minus
 * one for callers.  The signal stack, if the context was taken on one, is read from
 * context->uc_stack.  Never faults, blocks, allocates; no system call unless a rule is missing.
 * errno may change.  Context: signal. */
void unwind_walk(const ucontext_t *context, const struct unwind_stack *stack, uint64_t *pcs,
		 unsigned max, struct unwind_result *result);

/* Forget all rules: call after a library was unloaded.  Before glibc 2.35 this also lists the
 * loaded objects anew (unwind_snapshot.h), and takes the loader's lock.  Context: thread. */
void unwind_forget(void);

#endif
