/*
 * Steps of a walk, aarch64.  The invariants are those of x86-64, with these differences:
 *
 * - A leaf may have an empty frame: its CFA is the stack pointer, its return address in x30.
 *   In every other frame a call has overwritten x30, so x30 must have been saved.  A leaf whose
 *   slot is below the stack pointer has popped it (glibc's _dl_runtime_resolve has such rules at
 *   its end): the signal frame has overwritten the slot, and x30 is right.
 * - Return addresses may be signed (pointer authentication); the signature is removed.
 * - A guess from the frame pointer does not give the caller's stack pointer.  So guessing goes on
 *   up to a frame whose CFA counts from the frame pointer.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_STEP_AARCH64_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_STEP_AARCH64_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/unwind_abi.h"
#include "runtime/sample/unwind/unwind_state.h"
#include "runtime/sample/unwind/unwind_step.h"

/* Returns to `target`, from a leaf or by the value of a slot. */
static inline bool unwind_return_to(struct unwind_walk *walk, uint64_t target)
{
	target = unwind_abi_address(target);
	if (__builtin_expect(target - UNWIND_LOWEST_CODE > UNWIND_HIGHEST_CODE - UNWIND_LOWEST_CODE,
			     0))
		return unwind_step_nowhere(walk, walk->sp);
	walk->pc = target - 1;
	walk->other = 0; /* only the leaf's value is used: all callers look alike */
	walk->since++;
	return true;
}

/* The common half of all rules: the CFA is known, saved registers count from it. */
static inline __attribute__((always_inline)) MEMORY_RAW bool
unwind_return_from(struct unwind_walk *walk, uint64_t rule, uint64_t cfa)
{
	int64_t frame = rule_frame(rule);
	int64_t link = rule_other(rule);
	uint64_t target = walk->other;
	uint64_t at = cfa + (uint64_t)(frame * 8);

	if (__builtin_expect(cfa <= walk->sp, 0) && (walk->since || cfa != walk->sp))
		return unwind_finish(walk, UNWIND_BOUNDS);
	walk->frame_at = walk->other_at = 0;
	if (frame != RULE_SLOT_SAME) {
		walk->fp = unwind_range_admits(&walk->range, at) ? unwind_range_load(at) : 0;
		walk->frame_at = at;
	}
	if (link == RULE_SLOT_SAME) {
		if (walk->since)
			return unwind_finish(walk, UNWIND_FAILED);
	} else if (walk->since || cfa + (uint64_t)(link * 8) >= walk->sp) {
		at = cfa + (uint64_t)(link * 8);
		if (!unwind_range_admits(&walk->range, at))
			return unwind_finish(walk, UNWIND_BOUNDS);
		target = unwind_range_load(at);
		walk->return_at = at;
	}
	walk->sp = cfa;
	walk->sp_lost = false;
	return unwind_return_to(walk, target);
}

#endif
