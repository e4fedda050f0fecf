/*
 * The loop of a walk, and its rare half.  Whatever asks libunwind first makes sure of enough stack
 * under the handler, and holds the gate for no longer than the question.
 *
 * The frames far from the leaf are mostly those of the walk before.  A frame's caller follows from
 * its registers, its rule and the words it saved, so where a frame's registers are those of a step
 * in the memo, its words are read and compared, and its caller is the memo's.  A memo is never
 * changed in part: it is used as it is, or, when it was of little use, written anew by a walk that
 * does not use it.
 */
#include "runtime/sample/unwind_walk.h"

#include <stddef.h>
#include <string.h>

#include "runtime/sample/rule.h"
#include "runtime/sample/rule_ask.h"
#include "runtime/sample/rule_row.h"
#include "runtime/sample/rule_table.h"
#include "runtime/sample/unwind_caller.h"
#include "runtime/sample/unwind_code.h"
#include "runtime/sample/unwind_frame.h"
#include "runtime/sample/unwind_gate.h"
#include "runtime/sample/unwind_module.h"

#define SWITCHES_MAX	4
#define ASK_STACK_BYTES 8192 /* asking takes 4 KB, measured */
#define SLOW_STEPS_MAX	64
#define FOLLOWED_MAX	6 /* beside a quarter of what the memo knew: more, and it is old */

bool unwind_walk_has_room(const struct unwind_walk *walk)
{
	return unwind_range_headroom(ASK_STACK_BYTES, &walk->signal->uc_stack, walk->stack);
}

static bool may_ask(struct unwind_walk *walk)
{
	if (!unwind_walk_has_room(walk))
		return unwind_walk_finish(walk, UNWIND_BOUNDS);
	if (!unwind_gate_try())
		return unwind_walk_finish(walk, UNWIND_BUSY);
	return true;
}

/* The rule of any address, kept for next time; RULE_MISSING: not to be had.  Holding the gate. */
static uint64_t ask(struct unwind_walk *walk, uint64_t pc)
{
	struct unwind_row row;
	bool passing = false;
	uint64_t rule = rule_row_find(pc, walk->generation);

	if (!rule) {
		rule = rule_ask(pc, &row, &passing);
		walk->result->misses++;
		if (rule && !passing)
			rule_row_put(pc, walk->generation, &row, rule);
	}
	if (rule && !passing)
		rule_table_put(pc, walk->generation, rule);
	return rule;
}

uint64_t unwind_walk_ask(struct unwind_walk *walk)
{
	uint64_t rule;

	if (!may_ask(walk))
		return RULE_MISSING;
	rule = ask(walk, walk->pc);
	if (!rule)
		unwind_walk_finish(walk, UNWIND_FAILED);
	unwind_gate_leave();
	return rule;
}

uint64_t unwind_walk_peek(struct unwind_walk *walk, uint64_t address)
{
	uint64_t rule = rule_table_find(address, walk->generation);

	if (rule || !unwind_walk_has_room(walk) || !unwind_gate_try())
		return rule;
	rule = ask(walk, address);
	unwind_gate_leave();
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
	/* a leaf may have popped its return address into a register: vfork(2), as glibc has it */
	if (!done || registers[UNW_REG_SP] < walk->sp ||
	    (registers[UNW_REG_SP] == walk->sp && walk->since))
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
	walk->by_frame = false;
	walk->other_lost = false;
	walk->sp_lost = false;
	walk->sp = sp;
	return true;
}

/* Whether the call that led to walk's frame is to be looked for.  Where the frame before gave a
 * wrong address, that is seldom one of code. */
static bool prefers_call(const struct unwind_walk *walk, bool in_module, uint64_t target)
{
	if (in_module)
		return !walk->by_frame || !target;
	return !target && unwind_code_is_noted(walk, walk->pc);
}

MEMORY_RAW bool unwind_walk_guess(struct unwind_walk *walk, bool in_module)
{
	uint64_t target;

	if (unwind_range_is_root(walk->sp) || (in_module && unwind_caller_is_root(walk)))
		return unwind_walk_finish(walk, UNWIND_LAST);
	target = unwind_frame_target(walk);
	walk->guessed_up = true;
	if (prefers_call(walk, in_module, target) && unwind_machine_caller(walk, target)) {
		walk->by_frame = false;
	} else if (target) {
		walk->by_frame = true;
		walk->other_lost = true;
		walk->sp_lost = unwind_machine_guess_loses_sp;
		walk->sp = walk->fp + 16; /* where it is lost: not less than this */
		walk->fp = unwind_range_load(walk->fp);
		walk->pc = target - 1;
		walk->since++;
	} else {
		return unwind_walk_finish(walk, UNWIND_NO_RULE);
	}
	return walk->result->guessed = true;
}

bool unwind_walk_rule(struct unwind_walk *walk, uint64_t rule)
{
	switch (rule_type(rule)) {
	case RULE_LAST:
		return unwind_walk_finish(walk, UNWIND_LAST);
	case RULE_FABRICATED:
		return walk->since ? unwind_walk_finish(walk, UNWIND_LAST)
				   : unwind_walk_guess(walk, true);
	case RULE_ENTRY:
		return walk->since ? unwind_walk_guess(walk, true) : unwind_machine_entry(walk);
	case RULE_SIGNAL:
		return unwind_machine_signal(walk);
	case RULE_SLOW:
		return unwind_machine_slow(walk);
	case RULE_ABSENT:
		return unwind_walk_guess(walk, true);
	default:
		return unwind_machine_shape(walk, rule);
	}
}

bool unwind_walk_unknown(struct unwind_walk *walk)
{
	uint64_t rule;

	if (!unwind_module_has(walk->pc)) {
		if (unwind_walk_drops(walk))
			return false;
		if (!walk->since)
			unwind_code_note(walk, walk->pc);
		return unwind_walk_guess(walk, false);
	}
	rule = unwind_walk_ask(walk);
	return rule && unwind_walk_rule(walk, rule);
}

static bool begin(struct unwind_walk *walk, const ucontext_t *context,
		  const struct unwind_stack *stack, struct unwind_result *result)
{
	memset(result, 0, sizeof(*result));
	unwind_machine_begin(walk, context);
	walk->generation = rule_table_generation();
	walk->signal = context;
	walk->stack = stack;
	walk->result = result;
	if (unwind_range_pick(&walk->range, walk->sp, &context->uc_stack, stack))
		return true;
	return unwind_walk_finish(walk, UNWIND_BOUNDS);
}

static MEMORY_RAW inline bool holds_word(const struct unwind_range *range, uint64_t at,
					 uint64_t word)
{
	return unwind_range_holds(range, at) && unwind_range_load(at) == word;
}

static bool saves_are_unchanged(const struct unwind_range *range, const struct unwind_step *step)
{
	return (!step->frame_at || holds_word(range, step->frame_at, step[1].fp)) &&
	       (!step->other_at || holds_word(range, step->other_at, step[1].other));
}

/* True if the words that a step read are what they were: then its caller is the next one. */
static inline bool is_unchanged(const struct unwind_range *range, const struct unwind_step *step)
{
	return holds_word(range, step->return_at, step->returns) &&
	       (!(step->frame_at | step->other_at) || saves_are_unchanged(range, step));
}

/* From the memo's frame that is walk's, if there is one at or above *at, as far up as nothing
 * has changed.  Returns the depth then. */
static unsigned rejoin(struct unwind_walk *walk, const struct unwind_memo *memo, unsigned *at,
		       uint64_t *pcs, unsigned depth, unsigned max)
{
	const struct unwind_step *end = memo->step + memo->count;
	const struct unwind_step *step = memo->step + *at;
	const struct unwind_range range = walk->range; /* in registers: pcs may be anywhere */
	const struct unwind_step *first;

	while (step < end && step->sp < walk->sp)
		step++;
	*at = (unsigned)(step - memo->step);
	if (step == end || step->sp != walk->sp || step->pc != walk->pc || step->fp != walk->fp ||
	    step->other != walk->other || walk->other_lost || walk->sp_lost)
		return depth;
	if (end - step > (ptrdiff_t)(max - depth))
		end = step + (max - depth);
	first = step;
	for (uint64_t *pc = pcs + depth; step < end && is_unchanged(&range, step); step++)
		*pc++ = step[1].pc;
	*at = (unsigned)(step - memo->step);
	walk->since += *at - (unsigned)(first - memo->step);
	depth += (unsigned)(step - first);
	walk->sp = step->sp;
	walk->fp = step->fp;
	walk->other = step->other;
	walk->pc = step->pc;
	return depth;
}

static void walk_with_memo(struct unwind_walk *walk, struct unwind_memo *memo, uint64_t *pcs,
			   unsigned max)
{
	unsigned depth = walk->result->depth, followed = 0, at = 0;

	while (unwind_machine_follow(walk)) {
		if (depth == max) {
			unwind_walk_finish(walk, UNWIND_MAX);
			break;
		}
		pcs[depth++] = walk->pc;
		followed++;
		depth = rejoin(walk, memo, &at, pcs, depth, max);
	}
	walk->result->depth = depth;
	memo->useful = followed <= FOLLOWED_MAX + depth / 4;
}

/* The registers of a frame, and, once its caller is known, where they were saved. */
static void note_frame(struct unwind_step *step, const struct unwind_walk *walk)
{
	step->sp = walk->sp;
	step->fp = walk->fp;
	step->other = walk->other;
	step->pc = walk->pc;
}

static void note_step(struct unwind_step *step, const struct unwind_walk *walk)
{
	step->return_at = walk->return_at;
	step->returns = unwind_range_load(walk->return_at);
	step->frame_at = walk->frame_at;
	step->other_at = walk->other_at;
}

/* Without a memo, or writing one. */
static void walk_anew(struct unwind_walk *walk, struct unwind_memo *memo, uint64_t *pcs,
		      unsigned max)
{
	unsigned depth = walk->result->depth, count = 0;
	bool noting = memo;

	if (noting)
		note_frame(&memo->step[0], walk);
	while (unwind_machine_follow(walk)) {
		if (depth == max) {
			unwind_walk_finish(walk, UNWIND_MAX);
			break;
		}
		pcs[depth++] = walk->pc;
		if (!noting)
			continue;
		if (walk->return_at)
			note_step(&memo->step[count++], walk);
		else if (count <= FOLLOWED_MAX)
			count = 0; /* what matters is above it */
		noting = walk->return_at ? count + 1 < UNWIND_MEMO_STEPS : !count;
		if (noting)
			note_frame(&memo->step[count], walk);
	}
	walk->result->depth = depth;
	if (!memo)
		return;
	memo->count = count;
	memo->generation = walk->generation;
	memo->useful = true;
}

void unwind_walk(const ucontext_t *context, const struct unwind_stack *stack, uint64_t *pcs,
		 unsigned max, struct unwind_result *result)
{
	struct unwind_memo *memo = stack->memo;
	struct unwind_walk walk = { 0 };
	bool more = begin(&walk, context, stack, result);

	if (max)
		pcs[result->depth++] = walk.pc;
	if (more && memo && memo->useful && memo->generation == walk.generation)
		walk_with_memo(&walk, memo, pcs, max);
	else if (more)
		walk_anew(&walk, memo, pcs, max);
	result->depth -= walk.drop;
}
