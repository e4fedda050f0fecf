/*
 * The steps that all machines share: by rules that unwind_follow() does not handle itself, by
 * libunwind, from one stack to another, and where a rule is wrong.
 */
#include "runtime/sample/unwind/unwind_step.h"

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_ask.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/unwind/callsite.h"
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

/* True if walk->pc lies in no module and is an address of the stack.  Then it was not a return
 * address, and the walk has ended without that frame. */
static bool drops_frame(struct unwind_walk *walk)
{
	if (!walk->since || !unwind_range_holds(&walk->range, walk->pc & ~7ULL))
		return false;
	walk->drop = true;
	unwind_finish(walk, UNWIND_FAILED);
	return true;
}

/* A return address that no call made is the outermost.  But code without unwind information may end
 * with a call, right before a function that has some. */
static bool follow_fabricated(struct unwind_walk *walk)
{
	if (walk->since && !callsite_scan_is_called(walk, walk->pc + 1))
		return unwind_finish(walk, UNWIND_LAST);
	return unwind_guess(walk, true);
}

bool unwind_follow_rule(struct unwind_walk *walk, uint64_t rule)
{
	switch (rule_type(rule)) {
	case RULE_LAST:
		return unwind_finish(walk, UNWIND_LAST);
	case RULE_FABRICATED:
		return follow_fabricated(walk);
	case RULE_ENTRY:
		return walk->since ? unwind_guess(walk, true) : unwind_step_entry(walk);
	case RULE_SIGNAL:
		return unwind_step_signal(walk);
	case RULE_SLOW:
		return unwind_step_slow(walk);
	case RULE_ABSENT:
		return unwind_guess(walk, true);
	default:
		return unwind_step_shape(walk, rule);
	}
}

/* True if the rule of the interrupted leaf led to walk->pc, which lies in no module and behind no
 * call, and the leaf's code tells another caller. */
static bool is_astray(struct unwind_walk *walk)
{
	struct unwind_walk leaf;

	if (walk->since != 1 || walk->guessed_up || walk->by_code ||
	    callsite_scan_is_called(walk, walk->pc + 1))
		return false;
	leaf = *walk;
	unwind_step_begin(&leaf, walk->signal);
	leaf.since = 0;
	walk->astray = leaf.context == walk->context && callsite_scan_code(&leaf);
	return walk->astray;
}

bool unwind_follow_unknown(struct unwind_walk *walk)
{
	uint64_t rule;

	if (!unwind_module_has(walk->pc)) {
		if (is_astray(walk) || drops_frame(walk))
			return false;
		if (!walk->since)
			callsite_scan_note_code(walk, walk->pc);
		return unwind_guess(walk, false);
	}
	rule = unwind_ask_rule(walk);
	return rule && unwind_follow_rule(walk, rule);
}
