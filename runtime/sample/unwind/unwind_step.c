/*
 * The slow path, the step from one stack to another, and the steps where a rule is wrong.
 */
#include "runtime/sample/unwind/unwind_step.h"

#include "runtime/sample/cfi/rule_ask.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/unwind/callsite_scan.h"
#include "runtime/sample/unwind/unwind_ask.h"

#define SWITCHES_MAX   4
#define SLOW_STEPS_MAX 64

bool unwind_step_library(struct unwind_walk *walk, uint64_t *registers)
{
	bool done;

	if (walk->slow_used || walk->guessed_up || walk->since >= SLOW_STEPS_MAX)
		return unwind_finish(walk, UNWIND_FAILED);
	if (!unwind_ask_may(walk))
		return false;
	walk->slow_used = true;
	done = rule_ask_real(registers, walk->since + 1, &walk->range);
	unwind_lock_release();
	/* a leaf may have popped its return address into a register: vfork(2), as glibc has it */
	if (!done || registers[UNW_REG_SP] < walk->sp ||
	    (registers[UNW_REG_SP] == walk->sp && walk->since))
		return unwind_finish(walk, UNWIND_FAILED);
	walk->sp = registers[UNW_REG_SP];
	walk->since++;
	return true;
}

bool unwind_step_enter(struct unwind_walk *walk, const uint64_t *context, uint64_t sp)
{
	if (unwind_range_holds(&walk->range, sp)) {
		if (sp <= walk->sp)
			return unwind_finish(walk, UNWIND_BOUNDS);
	} else if (walk->switches++ == SWITCHES_MAX ||
		   !unwind_range_pick(&walk->range, sp, &walk->signal->uc_stack, walk->stack)) {
		return unwind_finish(walk, UNWIND_BOUNDS);
	}
	walk->context = context;
	walk->since = 0;
	walk->guessed_up = false;
	walk->by_frame = false;
	walk->other_lost = false;
	walk->sp_lost = false;
	walk->sp = sp;
	return true;
}

bool unwind_step_code(struct unwind_walk *walk)
{
	walk->guessed_up = true;
	if (!callsite_scan_code(walk))
		return unwind_finish(walk, UNWIND_FAILED);
	walk->by_frame = false;
	return walk->result->guessed = true;
}

bool unwind_step_nowhere(struct unwind_walk *walk, uint64_t slot)
{
	if (unwind_range_is_root(slot))
		return unwind_finish(walk, UNWIND_LAST);
	walk->return_at = 0;
	if (!walk->since)
		unwind_step_take(walk); /* the rule may have replaced them */
	else if (walk->frame_at)
		walk->fp = 0;
	return unwind_step_code(walk);
}
