/*
 * The rare half of a walk.  Whatever asks libunwind first makes sure of enough stack under the
 * handler, and holds the gate for no longer than the question.
 */
#include "runtime/sample/unwind_walk.h"

#include <string.h>

#include "runtime/sample/rule.h"
#include "runtime/sample/rule_ask.h"
#include "runtime/sample/rule_table.h"
#include "runtime/sample/unwind_gate.h"

#define SWITCHES_MAX	4
#define ASK_STACK_BYTES 8192 /* asking takes 4 KB, measured */
#define SLOW_STEPS_MAX	64

static bool may_ask(struct unwind_walk *walk)
{
	if (!unwind_range_headroom(ASK_STACK_BYTES, &walk->signal->uc_stack, walk->stack))
		return unwind_walk_finish(walk, UNWIND_BOUNDS);
	if (!unwind_gate_try())
		return unwind_walk_finish(walk, UNWIND_BUSY);
	return true;
}

uint64_t unwind_walk_ask(struct unwind_walk *walk)
{
	bool passing;
	uint64_t rule;

	if (!may_ask(walk))
		return RULE_MISSING;
	rule = rule_ask(walk->pc, &passing);
	if (rule && !passing)
		rule_table_put(walk->pc, walk->generation, rule);
	if (!rule)
		unwind_walk_finish(walk, UNWIND_FAILED);
	unwind_gate_leave();
	walk->result->misses++;
	return rule;
}

bool unwind_walk_drops(struct unwind_walk *walk)
{
	if (!walk->since || !unwind_range_holds(&walk->range, walk->pc & ~7ULL))
		return false;
	walk->drop = true;
	unwind_walk_finish(walk, UNWIND_FAILED);
	return true;
}

bool unwind_walk_slow(struct unwind_walk *walk, uint64_t *registers)
{
	bool done;

	if (walk->slow_used || walk->guessed_up || walk->since >= SLOW_STEPS_MAX)
		return unwind_walk_finish(walk, UNWIND_FAILED);
	if (!may_ask(walk))
		return false;
	walk->slow_used = true;
	done = rule_ask_real(registers, walk->since + 1, &walk->range);
	unwind_gate_leave();
	if (!done || registers[UNW_REG_SP] <= walk->sp)
		return unwind_walk_finish(walk, UNWIND_FAILED);
	walk->sp = registers[UNW_REG_SP];
	walk->since++;
	return true;
}

bool unwind_walk_enter(struct unwind_walk *walk, const uint64_t *context, uint64_t sp)
{
	if (unwind_range_holds(&walk->range, sp)) {
		if (sp <= walk->sp)
			return unwind_walk_finish(walk, UNWIND_BOUNDS);
	} else if (walk->switches++ == SWITCHES_MAX ||
		   !unwind_range_pick(&walk->range, sp, &walk->signal->uc_stack, walk->stack)) {
		return unwind_walk_finish(walk, UNWIND_BOUNDS);
	}
	walk->context = context;
	walk->since = 0;
	walk->guessed_up = false;
	walk->other_lost = false;
	walk->sp_lost = false;
	walk->sp = sp;
	return true;
}

bool unwind_walk_begin(struct unwind_walk *walk, const ucontext_t *context,
		       const struct unwind_stack *stack, struct unwind_result *result)
{
	memset(result, 0, sizeof(*result));
	walk->generation = rule_table_generation();
	walk->signal = context;
	walk->stack = stack;
	walk->result = result;
	if (unwind_range_pick(&walk->range, walk->sp, &context->uc_stack, stack))
		return true;
	return unwind_walk_finish(walk, UNWIND_BOUNDS);
}
