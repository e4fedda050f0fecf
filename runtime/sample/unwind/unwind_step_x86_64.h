/*
 * Steps of a walk, x86-64.  Each step keeps these invariants:
 *
 * - Loads come only from the range of the stack that the frame lies on, eight bytes at a
 *   multiple of eight.
 * - The CFA grows from frame to frame; a leaf's may be its stack pointer.  Only a signal frame
 *   may go to another stack, and only SWITCHES_MAX times.  So a walk ends, whatever memory holds.
 * - The interrupted context gives every register of the leaf.  Later frames know the stack
 *   pointer, rbp and rbx; registers that calls may destroy keep the leaf's values, as in
 *   libunwind; r12 to r15 take the slow path.
 * - A frame that is found by the frame pointer alone, or by a call on the stack
 *   (callsite_scan.h), is always marked as a guess.
 * - No lock, no allocation, no system call while rules are known and the stack is the thread's.
 */
#ifndef RUNTIME_SAMPLE_UNWIND_UNWIND_STEP_X86_64_H
#define RUNTIME_SAMPLE_UNWIND_UNWIND_STEP_X86_64_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/unwind_abi.h"
#include "runtime/sample/unwind/unwind_state.h"
#include "runtime/sample/unwind/unwind_step.h"

/* The common half of all rules: the CFA is known, the return address is below it. */
static inline __attribute__((always_inline)) MEMORY_RAW bool
unwind_return_from(struct unwind_walk *walk, uint64_t cfa)
{
	uint64_t target;

	/* A leaf may have popped its return address, which is then right below. */
	if ((__builtin_expect(cfa <= walk->sp, 0) && (walk->since || cfa < walk->sp)) ||
	    !unwind_range_admits(&walk->range, cfa - 8))
		return unwind_finish(walk, UNWIND_BOUNDS);
	target = unwind_range_load(cfa - 8);
	if (__builtin_expect(target - UNWIND_LOWEST_CODE > UNWIND_HIGHEST_CODE - UNWIND_LOWEST_CODE,
			     0))
		return unwind_step_nowhere(walk, cfa - 8);
	walk->sp = cfa;
	walk->pc = target - 1;
	walk->since++;
	return true;
}

/*
 * Restores callee-saved registers from their slots, which count from `base`.  An unreadable slot
 * does not end the walk, because most frames never use the register.  A frame that does use it
 * finds no CFA.
 */
static inline __attribute__((always_inline)) MEMORY_RAW void
unwind_restore(struct unwind_walk *walk, uint64_t rule, uint64_t base)
{
	int64_t frame = rule_frame(rule);
	int64_t other = rule_other(rule);
	uint64_t at = base + (uint64_t)(frame * 8);

	walk->frame_at = walk->other_at = 0;
	if (frame != RULE_SLOT_SAME) {
		walk->fp = unwind_range_admits(&walk->range, at) ? unwind_range_load(at) : 0;
		walk->frame_at = at;
	}
	if (other == RULE_SLOT_SAME)
		return;
	at = base + (uint64_t)(other * 8);
	walk->other_at = at;
	walk->other_lost = other == RULE_SLOT_LOST || !unwind_range_admits(&walk->range, at);
	if (!walk->other_lost)
		walk->other = unwind_range_load(at);
}

#endif
