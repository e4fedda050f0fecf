/* The state of a walk and its result, which all machines share. */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_STATE_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_STATE_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/sample/cfi/unwind_range.h"

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

struct unwind_result {
	unsigned depth;
	enum unwind_end end;
	bool guessed;	 /* a frame was found by the frame pointer alone, or by a call */
	bool probed;	 /* the leaf is a uretprobe's trampoline, not a frame of the program */
	unsigned misses; /* rules asked of libunwind */
	uint64_t end_pc; /* address of the frame that could not be unwound; 0 after LAST */
};

struct unwind_walk {
	struct unwind_range range;
	uint64_t sp;		 /* CFA of the frame below */
	uint64_t fp;		 /* x86-64: rbp; aarch64: x29 */
	uint64_t other;		 /* x86-64: rbx; aarch64: x30 */
	uint64_t pc;		 /* address to look up */
	const uint64_t *context; /* registers of the leaf, or of the last signal frame's */
	unsigned since;		 /* frames since then */
	bool other_lost;
	bool sp_lost;	 /* aarch64: a guess does not give the stack pointer */
	bool by_frame;	 /* sp is a lower bound: it comes from the frame pointer */
	bool slow_used;	 /* the slow path was taken; once per walk is enough */
	bool guessed_up; /* libunwind could not step from the context to here */
	bool drop;	 /* the last frame turned out not to be one */
	bool astray;	 /* the leaf's rule led nowhere: walk again by its code … */
	bool by_code;	 /* … which this walk does */
	uint64_t led_to; /* frame pointers are known to lead there (unwind_guess.c) */
	unsigned switches;
	uint64_t return_at; /* the words that the last step read; 0: not a plain step … */
	uint64_t frame_at;  /* … whose rule gives the CFA from the stack or frame pointer */
	uint64_t other_at;
	uint64_t generation;
	const ucontext_t *signal;
	const struct unwind_stack *stack;
	struct unwind_result *result;
	uint64_t *sps; /* of struct unwind_frames; NULL: not wanted */
};

/* Ends the walk.  Returns false, so that the caller can return it. */
static inline bool unwind_finish(struct unwind_walk *walk, enum unwind_end end)
{
	walk->result->end = end;
	walk->result->end_pc = end == UNWIND_LAST ? 0 : walk->pc;
	return false;
}

#endif
