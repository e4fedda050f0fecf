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
#include "runtime/sample/unwind/unwind_step.h"

#include <signal.h>
#include <stddef.h>

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/unwind_abi.h"
#include "runtime/sample/cfi/unwind_library.h"

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

/* ucontext's registers are in DWARF's order: x0 to x30, sp, pc. */
enum { CONTEXT_FP = 29, CONTEXT_LR = 30, CONTEXT_SP = 31, CONTEXT_PC = 32 };

/* In the trampoline the stack pointer points at the kernel's rt_sigframe. */
#define FRAME_REGISTERS (sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.regs))

MEMORY_RAW void unwind_step_take(struct unwind_walk *walk)
{
	walk->fp = unwind_range_load((uint64_t)&walk->context[CONTEXT_FP]);
	walk->other = unwind_range_load((uint64_t)&walk->context[CONTEXT_LR]);
	walk->pc = unwind_range_load((uint64_t)&walk->context[CONTEXT_PC]);
}

MEMORY_RAW bool unwind_step_signal(struct unwind_walk *walk)
{
	uint64_t at = walk->sp + FRAME_REGISTERS;
	const uint64_t *context = (const uint64_t *)at;

	if (walk->sp_lost || at < walk->sp || !unwind_range_admits(&walk->range, at) ||
	    !unwind_range_admits(&walk->range, (uint64_t)&context[CONTEXT_PC]))
		return unwind_finish(walk, UNWIND_BOUNDS);
	if (!unwind_step_enter(walk, context, unwind_range_load((uint64_t)&context[CONTEXT_SP])))
		return false;
	unwind_step_take(walk);
	return true;
}

bool unwind_step_slow(struct unwind_walk *walk)
{
	uint64_t registers[UNW_REG_LAST + 1] = { 0 };

	for (unsigned i = 0; i <= CONTEXT_PC; i++)
		registers[i] = unwind_range_load((uint64_t)&walk->context[i]);
	if (!unwind_step_library(walk, registers))
		return false;
	walk->fp = registers[UNW_AARCH64_X29];
	walk->pc = unwind_abi_address(registers[UNW_REG_IP]) - 1;
	return true;
}

/* CFA = register + offset, for any register: there are no other shapes. */
bool unwind_step_shape(struct unwind_walk *walk, uint64_t rule)
{
	unsigned number = rule_type(rule) - RULE_BASE;
	uint64_t cfa;

	if (number == UNW_AARCH64_SP)
		cfa = walk->sp;
	else if (number == UNW_AARCH64_X29)
		cfa = walk->fp;
	else if (walk->since && number >= UNW_AARCH64_X19 && number <= UNW_AARCH64_X30)
		return unwind_step_slow(walk);
	else
		cfa = unwind_range_load((uint64_t)&walk->context[number & 31]);
	if (number == UNW_AARCH64_SP && walk->sp_lost)
		return unwind_guess(walk, true);
	return unwind_return_from(walk, rule, cfa + (uint64_t)rule_offset(rule));
}

bool unwind_step_entry(struct unwind_walk *walk)
{
	return unwind_return_to(walk, walk->other);
}

void unwind_step_begin(struct unwind_walk *walk, const ucontext_t *context)
{
	const uint64_t *registers = (const uint64_t *)context->uc_mcontext.regs;

	walk->context = registers;
	walk->sp = registers[CONTEXT_SP];
	unwind_step_take(walk);
}
