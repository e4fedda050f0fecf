/*
 * The uncommon shapes of frames, aarch64.
 */
#include "runtime/sample/unwind/unwind_step.h"

#include <signal.h>
#include <stddef.h>

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/unwind_library.h"
#include "runtime/sample/unwind/unwind_guess.h"
#include "runtime/sample/unwind/unwind_step_aarch64.h"

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
