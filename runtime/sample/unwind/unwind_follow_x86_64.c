/*
 * The common step of a walk, x86-64: the CFA counts from the stack pointer or from rbp.
 */
#include "runtime/sample/unwind/unwind_follow.h"

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/unwind_library.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/unwind/unwind_step_x86_64.h"
#include "runtime/sample/unwind/uretprobe.h"

enum { BASE_RBP = (int)RULE_BASE + UNW_X86_64_RBP, BASE_RSP = (int)RULE_BASE + UNW_X86_64_RSP };

/* Handles an address without a rule in the table.  A uretprobe's trampoline never has one. */
static __attribute__((noinline)) bool follow_unknown(struct unwind_walk *walk)
{
	if (walk->since || unwind_module_has(walk->pc) || !uretprobe_words(walk->pc))
		return unwind_follow_unknown(walk);
	walk->result->probed = true;
	return unwind_return_from(walk, walk->sp + uretprobe_words(walk->pc) * 8ULL);
}

MEMORY_RAW bool unwind_follow(struct unwind_walk *walk)
{
	uint64_t rule = rule_table_find(walk->pc, walk->generation);
	uint64_t cfa = (uint64_t)rule_offset(rule);

	walk->return_at = 0;
	if (__builtin_expect(rule_type(rule) == BASE_RSP, 1))
		cfa += walk->sp;
	else if (rule_type(rule) == BASE_RBP)
		cfa += walk->fp;
	else
		return rule ? unwind_follow_rule(walk, rule) : follow_unknown(walk);
	unwind_restore(walk, rule, cfa);
	if (!unwind_return_from(walk, cfa))
		return false;
	if (!walk->other_lost)
		walk->return_at = cfa - 8;
	return true;
}
