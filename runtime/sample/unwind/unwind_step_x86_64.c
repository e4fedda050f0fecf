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
 *   (callsite.h), is always marked as a guess.
 * - No lock, no allocation, no system call while rules are known and the stack is the thread's.
 */
#include "runtime/sample/unwind/unwind_step.h"

#include <stddef.h>

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/unwind_abi.h"
#include "runtime/sample/cfi/unwind_library.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/unwind/callsite.h"
#include "runtime/sample/unwind/unwind_ask.h"

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

/* Restores callee-saved registers from their slots, which count from `base`.  An unreadable slot
 * does not end the walk, because most frames never use the register.  A frame that does use it
 * finds no CFA. */
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

/* ucontext's order of registers, by DWARF number. */
static const uint8_t context_index[] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
	REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

static MEMORY_RAW uint64_t from_context(const struct unwind_walk *walk, unsigned number)
{
	return unwind_range_load((uint64_t)&walk->context[context_index[number & 15]]);
}

MEMORY_RAW void unwind_step_take(struct unwind_walk *walk)
{
	walk->fp = unwind_range_load((uint64_t)&walk->context[REG_RBP]);
	walk->other = unwind_range_load((uint64_t)&walk->context[REG_RBX]);
	walk->pc = unwind_range_load((uint64_t)&walk->context[REG_RIP]);
}

/* In the trampoline the stack pointer points at the ucontext the kernel wrote. */
MEMORY_RAW bool unwind_step_signal(struct unwind_walk *walk)
{
	uint64_t at = walk->sp + offsetof(ucontext_t, uc_mcontext.gregs);
	const uint64_t *context = (const uint64_t *)at;

	if (at < walk->sp || !unwind_range_admits(&walk->range, at) ||
	    !unwind_range_admits(&walk->range, at + REG_RIP * sizeof(greg_t)))
		return unwind_finish(walk, UNWIND_BOUNDS);
	if (!unwind_step_enter(walk, context, unwind_range_load((uint64_t)&context[REG_RSP])))
		return false;
	unwind_step_take(walk);
	return true;
}

bool unwind_step_slow(struct unwind_walk *walk)
{
	uint64_t registers[UNW_REG_LAST + 1] = { 0 };

	for (unsigned i = 0; i < sizeof(context_index); i++)
		registers[i] = unwind_range_load((uint64_t)&walk->context[context_index[i]]);
	if (!unwind_step_library(walk, registers))
		return false;
	walk->fp = registers[UNW_X86_64_RBP];
	walk->other = registers[UNW_X86_64_RBX];
	walk->other_lost = false;
	walk->pc = registers[UNW_X86_64_RIP] - 1;
	return true;
}

/* CFA = register + offset, for any register. */
static bool from_register(struct unwind_walk *walk, uint64_t rule)
{
	unsigned number = rule_type(rule) - RULE_BASE;
	uint64_t cfa;

	if (number == UNW_X86_64_RSP)
		cfa = walk->sp;
	else if (number == UNW_X86_64_RBP)
		cfa = walk->fp;
	else if (number == UNW_X86_64_RBX && !walk->other_lost)
		cfa = walk->other;
	else if (number == UNW_X86_64_RBX || (number >= UNW_X86_64_R12 && walk->since))
		return unwind_step_slow(walk);
	else
		cfa = from_context(walk, number);
	cfa += (uint64_t)rule_offset(rule);
	unwind_restore(walk, rule, cfa);
	return unwind_return_from(walk, cfa);
}

static MEMORY_RAW bool from_drap(struct unwind_walk *walk, uint64_t rule)
{
	uint64_t fp = walk->fp;
	uint64_t at = fp + (uint64_t)rule_offset(rule);
	uint64_t cfa;

	if (!unwind_range_admits(&walk->range, at))
		return unwind_finish(walk, UNWIND_BOUNDS);
	cfa = unwind_range_load(at);
	unwind_restore(walk, rule, fp);
	return unwind_return_from(walk, cfa);
}

static MEMORY_RAW bool from_load(struct unwind_walk *walk, uint64_t rule)
{
	uint64_t at = walk->sp + (uint64_t)rule_offset(rule);
	uint64_t saves = rule_make(0, 0, rule_frame(rule), RULE_SLOT_LOST);
	uint64_t cfa;

	if (!unwind_range_admits(&walk->range, at))
		return unwind_finish(walk, UNWIND_BOUNDS);
	cfa = unwind_range_load(at) + (uint64_t)(rule_other(rule) * 8);
	unwind_restore(walk, saves, cfa);
	return unwind_return_from(walk, cfa);
}

/* gcc copies the return address to a place above the saved rbp when a function realigns its frame.
 * So a pair {any, return address} at rbp means that rbp has not been restored yet. */
static MEMORY_RAW bool from_edge(struct unwind_walk *walk, uint64_t rule)
{
	uint64_t fp = walk->fp;
	uint64_t cfa;

	if (walk->since)
		return unwind_step_slow(walk);
	cfa = from_context(walk, (unsigned)rule_other(rule)) + (uint64_t)rule_offset(rule);
	walk->other_lost = true;
	if (unwind_range_admits(&walk->range, cfa - 8) && fp < cfa &&
	    unwind_range_holds(&walk->range, fp) && unwind_range_holds(&walk->range, fp + 8) &&
	    unwind_range_load(fp + 8) == unwind_range_load(cfa - 8))
		walk->fp = unwind_range_load(fp);
	return unwind_return_from(walk, cfa);
}

/* Believes the rule where the code agrees with it, or tells nothing. */
static bool from_doubted(struct unwind_walk *walk, uint64_t rule)
{
	uint64_t cfa = walk->sp + (uint64_t)rule_offset(rule);
	uint64_t plain = rule_make(RULE_BASE + UNW_X86_64_RSP, rule_offset(rule), rule_frame(rule),
				   rule_other(rule));

	switch (callsite_scan_doubted(walk, cfa - 8)) {
	case CALLSITE_SCAN_LEFT:
		return true;
	case CALLSITE_SCAN_AGREES:
		unwind_ask_keep(walk, walk->pc, plain);
		break;
	default:
		break;
	}
	unwind_restore(walk, rule, cfa);
	return unwind_return_from(walk, cfa);
}

bool unwind_step_shape(struct unwind_walk *walk, uint64_t rule)
{
	switch (rule_type(rule)) {
	case RULE_DRAP:
		return from_drap(walk, rule);
	case RULE_LOAD:
		return from_load(walk, rule);
	case RULE_EDGE:
		return from_edge(walk, rule);
	case RULE_DOUBTED:
		return from_doubted(walk, rule);
	default:
		return from_register(walk, rule);
	}
}

bool unwind_step_entry(struct unwind_walk *walk)
{
	return unwind_return_from(walk, walk->sp + 8);
}

void unwind_step_begin(struct unwind_walk *walk, const ucontext_t *context)
{
	const uint64_t *registers = (const uint64_t *)context->uc_mcontext.gregs;

	walk->context = registers;
	walk->sp = registers[REG_RSP];
	unwind_step_take(walk);
}
