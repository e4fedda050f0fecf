/*
 * The walk, x86-64.  What holds at every step:
 *
 * - Loads come from the range of the stack that the frame lies on, eight bytes at a multiple
 *   of eight, and from nowhere else.
 * - The CFA grows from frame to frame.  Only a signal frame may go to another stack, and only
 *   SWITCHES_MAX times.  So a walk ends, whatever memory holds.
 * - The interrupted context gives every register of the leaf.  Later frames know the stack
 *   pointer, rbp and rbx; registers that calls may destroy keep the leaf's values, as libunwind
 *   has it; r12 to r15 take the slow path.
 * - A frame taken from the frame pointer alone, or from a call that is found on the stack
 *   (unwind_caller.h), is marked as a guess, always.
 * - No lock, no allocation, no system call while rules are known and the stack is the thread's.
 */
#include "runtime/sample/unwind_walk.h"

#include <stddef.h>
#include <string.h>

#include "runtime/sample/rule.h"
#include "runtime/sample/rule_table.h"
#include "runtime/sample/unwind_library.h"
#include "runtime/sample/unwind_module.h"
#include "runtime/sample/uretprobe.h"

#define HIGHEST_CODE 0x7fffffffffffULL

const uint64_t unwind_machine_highest_code = HIGHEST_CODE;
const bool unwind_machine_guess_loses_sp = false;

enum { BASE_RBP = (int)RULE_BASE + UNW_X86_64_RBP, BASE_RSP = (int)RULE_BASE + UNW_X86_64_RSP };

/* ucontext's order of registers, by DWARF number. */
static const uint8_t context_index[] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
	REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

static MEMORY_RAW uint64_t from_context(const struct unwind_walk *walk, unsigned number)
{
	return unwind_range_load((uint64_t)&walk->context[context_index[number & 15]]);
}

/* The common half of all rules: the CFA is known, the return address is below it. */
static inline __attribute__((always_inline)) MEMORY_RAW bool return_from(struct unwind_walk *walk,
									 uint64_t cfa)
{
	uint64_t target;

	if (__builtin_expect(cfa <= walk->sp, 0) || !unwind_range_admits(&walk->range, cfa - 8))
		return unwind_walk_finish(walk, UNWIND_BOUNDS);
	target = unwind_range_load(cfa - 8);
	if (__builtin_expect(target - MEMORY_LOWEST > HIGHEST_CODE - MEMORY_LOWEST, 0))
		return unwind_walk_finish(walk, target ? UNWIND_FAILED : UNWIND_LAST);
	walk->sp = cfa;
	walk->pc = target - 1;
	walk->since++;
	return true;
}

/*
 * Callee-saved registers from their slots, which count from `base`.  A slot that cannot be read
 * ends nothing: most frames never look at the register.  One that does finds no CFA there.
 */
static inline __attribute__((always_inline)) MEMORY_RAW void restore(struct unwind_walk *walk,
								     uint64_t rule, uint64_t base)
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

/* In the trampoline the stack pointer points at the ucontext the kernel wrote. */
MEMORY_RAW bool unwind_machine_signal(struct unwind_walk *walk)
{
	uint64_t at = walk->sp + offsetof(ucontext_t, uc_mcontext.gregs);
	const uint64_t *context = (const uint64_t *)at;

	if (at < walk->sp || !unwind_range_admits(&walk->range, at) ||
	    !unwind_range_admits(&walk->range, at + REG_RIP * sizeof(greg_t)))
		return unwind_walk_finish(walk, UNWIND_BOUNDS);
	if (!unwind_walk_enter(walk, context, unwind_range_load((uint64_t)&context[REG_RSP])))
		return false;
	walk->fp = unwind_range_load((uint64_t)&context[REG_RBP]);
	walk->other = unwind_range_load((uint64_t)&context[REG_RBX]);
	walk->pc = unwind_range_load((uint64_t)&context[REG_RIP]);
	return true;
}

bool unwind_machine_slow(struct unwind_walk *walk)
{
	uint64_t registers[UNW_REG_LAST + 1] = { 0 };

	for (unsigned i = 0; i < sizeof(context_index); i++)
		registers[i] = unwind_range_load((uint64_t)&walk->context[context_index[i]]);
	if (!unwind_walk_slow(walk, registers))
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
		return unwind_machine_slow(walk);
	else
		cfa = from_context(walk, number);
	cfa += (uint64_t)rule_offset(rule);
	restore(walk, rule, cfa);
	return return_from(walk, cfa);
}

static MEMORY_RAW bool from_drap(struct unwind_walk *walk, uint64_t rule)
{
	uint64_t fp = walk->fp;
	uint64_t at = fp + (uint64_t)rule_offset(rule);
	uint64_t cfa;

	if (!unwind_range_admits(&walk->range, at))
		return unwind_walk_finish(walk, UNWIND_BOUNDS);
	cfa = unwind_range_load(at);
	restore(walk, rule, fp);
	return return_from(walk, cfa);
}

static MEMORY_RAW bool from_load(struct unwind_walk *walk, uint64_t rule)
{
	uint64_t at = walk->sp + (uint64_t)rule_offset(rule);
	uint64_t saves = rule_make(0, 0, rule_frame(rule), RULE_SLOT_LOST);
	uint64_t cfa;

	if (!unwind_range_admits(&walk->range, at))
		return unwind_walk_finish(walk, UNWIND_BOUNDS);
	cfa = unwind_range_load(at) + (uint64_t)(rule_other(rule) * 8);
	restore(walk, saves, cfa);
	return return_from(walk, cfa);
}

/*
 * gcc puts a copy of the return address above the saved rbp of a frame that it realigns, so a
 * pair {any, return address} at rbp says that rbp has not been restored yet.
 */
static MEMORY_RAW bool from_edge(struct unwind_walk *walk, uint64_t rule)
{
	uint64_t fp = walk->fp;
	uint64_t cfa;

	if (walk->since)
		return unwind_machine_slow(walk);
	cfa = from_context(walk, (unsigned)rule_other(rule)) + (uint64_t)rule_offset(rule);
	walk->other_lost = true;
	if (unwind_range_admits(&walk->range, cfa - 8) && fp < cfa &&
	    unwind_range_holds(&walk->range, fp) && unwind_range_holds(&walk->range, fp + 8) &&
	    unwind_range_load(fp + 8) == unwind_range_load(cfa - 8))
		walk->fp = unwind_range_load(fp);
	return return_from(walk, cfa);
}

bool unwind_machine_shape(struct unwind_walk *walk, uint64_t rule)
{
	switch (rule_type(rule)) {
	case RULE_DRAP:
		return from_drap(walk, rule);
	case RULE_LOAD:
		return from_load(walk, rule);
	case RULE_EDGE:
		return from_edge(walk, rule);
	default:
		return from_register(walk, rule);
	}
}

bool unwind_machine_entry(struct unwind_walk *walk)
{
	return return_from(walk, walk->sp + 8);
}

/* A rule that the table lacks; a uretprobe's trampoline has none. */
static __attribute__((noinline)) bool follow_unknown(struct unwind_walk *walk)
{
	if (walk->since || unwind_module_has(walk->pc) || !uretprobe_words(walk->pc))
		return unwind_walk_unknown(walk);
	walk->result->probed = true;
	return return_from(walk, walk->sp + uretprobe_words(walk->pc) * 8ULL);
}

MEMORY_RAW bool unwind_machine_follow(struct unwind_walk *walk)
{
	uint64_t rule = rule_table_find(walk->pc, walk->generation);
	uint64_t cfa = (uint64_t)rule_offset(rule);

	walk->return_at = 0;
	if (__builtin_expect(rule_type(rule) == BASE_RSP, 1))
		cfa += walk->sp;
	else if (rule_type(rule) == BASE_RBP)
		cfa += walk->fp;
	else
		return rule ? unwind_walk_rule(walk, rule) : follow_unknown(walk);
	restore(walk, rule, cfa);
	if (!return_from(walk, cfa))
		return false;
	if (!walk->other_lost)
		walk->return_at = cfa - 8;
	return true;
}

uint64_t unwind_machine_address(uint64_t word)
{
	return word;
}

void unwind_machine_begin(struct unwind_walk *walk, const ucontext_t *context)
{
	const uint64_t *registers = (const uint64_t *)context->uc_mcontext.gregs;

	walk->sp = registers[REG_RSP];
	walk->fp = registers[REG_RBP];
	walk->other = registers[REG_RBX];
	walk->pc = registers[REG_RIP];
	walk->context = registers;
}
