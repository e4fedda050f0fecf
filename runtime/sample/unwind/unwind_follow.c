/*
 * The rare half of a walk: all rules that unwind_follow() does not handle itself.
 */
#include "runtime/sample/unwind/unwind_follow.h"

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/unwind/unwind_ask.h"
#include "runtime/sample/unwind/callsite_scan.h"
#include "runtime/sample/unwind/unwind_guess.h"
#include "runtime/sample/unwind/unwind_step.h"

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
