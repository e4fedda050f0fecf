/*
 * What the walks of all machines share: the state of a walk, how it ends, how it asks for a
 * rule, and how it takes the slow path or crosses a signal frame.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_WALK_H
#define RUNTIME_SAMPLE_UNWIND_WALK_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "runtime/sample/unwind.h"
#include "runtime/sample/unwind_range.h"

struct unwind_walk {
	struct unwind_range range;
	uint64_t sp;		 /* CFA of the frame below */
	uint64_t fp;		 /* x86-64: rbp; aarch64: x29 */
	uint64_t other;		 /* x86-64: rbx; aarch64: x30 */
	uint64_t pc;		 /* address to look up */
	const uint64_t *context; /* registers of the leaf, or of the last signal frame's */
	unsigned since;		 /* frames since then */
	bool other_lost;
	bool sp_lost;	 /* aarch64: a guess tells no stack pointer */
	bool by_frame;	 /* sp is only known to be no less: the frame pointer told it */
	bool slow_used;	 /* once per walk is enough */
	bool guessed_up; /* libunwind could not follow from the context to here */
	bool drop;	 /* the last frame is none after all */
	uint64_t led_to; /* frame pointers are known to lead there (unwind_frame.c) */
	unsigned switches;
	uint64_t return_at; /* the words that the last step read; 0: it was no plain one … */
	uint64_t frame_at;  /* … that a rule of the CFA from the stack or frame pointer tells */
	uint64_t other_at;
	uint64_t generation;
	const ucontext_t *signal;
	const struct unwind_stack *stack;
	struct unwind_result *result;
};

/* End the walk; false, for the caller to return. */
static inline bool unwind_walk_finish(struct unwind_walk *walk, enum unwind_end end)
{
	walk->result->end = end;
	walk->result->end_pc = end == UNWIND_LAST ? 0 : walk->pc;
	return false;
}

/* True if there is stack enough under the handler to find something out.  Context: signal. */
bool unwind_walk_has_room(const struct unwind_walk *walk);

/* The rule of walk->pc from libunwind, kept for next time; RULE_MISSING after ending the walk.
 * Context: signal. */
uint64_t unwind_walk_ask(struct unwind_walk *walk);

/* The rule of another address of a loaded object; RULE_MISSING, and the walk goes on: not to be had
 * now.  Context: signal. */
uint64_t unwind_walk_peek(struct unwind_walk *walk, uint64_t address);

/* True if walk->pc, in no module, is an address of the stack: then it was no return address,
 * and the walk has ended without that frame.  Context: signal. */
bool unwind_walk_drops(struct unwind_walk *walk);

/* libunwind's own steps from `registers`, the last context that is known whole, up to the
 * caller of the current frame, whose registers they then are.  False after ending the walk.
 * Context: signal. */
bool unwind_walk_slow(struct unwind_walk *walk, uint64_t *registers);

/* Go on from the registers that a signal interrupted: other stack or higher on the same one.
 * Sets range, sp and context.  False after ending the walk.  Context: signal. */
bool unwind_walk_enter(struct unwind_walk *walk, const uint64_t *context, uint64_t sp);

/* The last resort, marked, for code that libunwind knows nothing of: to the caller by the call that
 * led here (unwind_caller.h) or by the frame pointer (unwind_frame.h).  in_module: the code is of a
 * loaded object, not of a run-time compiler.  False after ending the walk.  Context: signal. */
bool unwind_walk_guess(struct unwind_walk *walk, bool in_module);

/* By machine (unwind_x86_64.c, unwind_aarch64.c).  The registers of a context, and where they
 * are.  Context: signal; likewise the others. */
void unwind_machine_begin(struct unwind_walk *walk, const ucontext_t *context);

/* Go from walk's frame to its caller.  False after ending the walk. */
bool unwind_machine_follow(struct unwind_walk *walk);

/* The same by a rule that only this machine has, across a signal's frame, by libunwind's own steps,
 * and from a leaf at its first instruction. */
bool unwind_machine_shape(struct unwind_walk *walk, uint64_t rule);
bool unwind_machine_signal(struct unwind_walk *walk);
bool unwind_machine_slow(struct unwind_walk *walk);
bool unwind_machine_entry(struct unwind_walk *walk);

/* The address in a word that was saved as a return address: without its signature. */
uint64_t unwind_machine_address(uint64_t word);

extern const uint64_t unwind_machine_highest_code;
extern const bool unwind_machine_guess_loses_sp; /* a frame record does not tell the CFA */

/* Follow any rule, or one that the table lacks (code in no module has none, and is not asked for).
 * False after ending the walk.  Context: signal. */
bool unwind_walk_rule(struct unwind_walk *walk, uint64_t rule);
bool unwind_walk_unknown(struct unwind_walk *walk);

#endif
