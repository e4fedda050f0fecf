/*
 * The common step of a walk, aarch64: the CFA counts from the stack pointer or from x29.
 */
#include "runtime/sample/unwind/unwind_follow.h"

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/unwind_library.h"
#include "runtime/sample/unwind/unwind_step_aarch64.h"

enum { BASE_FP = (int)RULE_BASE + UNW_AARCH64_X29, BASE_SP = (int)RULE_BASE + UNW_AARCH64_SP };

MEMORY_RAW bool unwind_follow(struct unwind_walk *walk)
{
	uint64_t rule = rule_table_find(walk->pc, walk->generation);
	uint64_t cfa = (uint64_t)rule_offset(rule);
	bool done;

	walk->return_at = 0;
	if (__builtin_expect(rule_type(rule) == BASE_SP && !walk->sp_lost, 1))
		cfa += walk->sp;
	else if (rule_type(rule) == BASE_FP)
		cfa += walk->fp;
	else {
		done = rule ? unwind_follow_rule(walk, rule) : unwind_follow_unknown(walk);
		walk->return_at = 0;
		return done;
	}
	return unwind_return_from(walk, rule, cfa);
}
