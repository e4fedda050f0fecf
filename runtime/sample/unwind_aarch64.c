/*
 * The walk, aarch64.  The invariants are those of x86-64, with these differences:
 *
 * - A leaf may have an empty frame: its CFA is the stack pointer, its return address in x30.
 *   In every other frame x30 has been overwritten by a call, and must have been saved.
 * - Return addresses may be signed (pointer authentication); the signature is taken off.
 * - A guess from the frame pointer does not tell the caller's stack pointer, so frames are
 *   guessed on until one whose CFA counts from the frame pointer.
 */
#include "runtime/sample/unwind_walk.h"

#include <stddef.h>
#include <string.h>

#include "runtime/sample/rule.h"
#include "runtime/sample/rule_ask.h"
#include "runtime/sample/rule_table.h"
#include "runtime/sample/unwind_module.h"

#define HIGHEST_CODE 0xffffffffffffULL

enum { BASE_FP = RULE_BASE + UNW_AARCH64_X29, BASE_SP = RULE_BASE + UNW_AARCH64_SP };

/* ucontext's registers are in DWARF's order: x0 to x30, sp, pc. */
enum { CONTEXT_FP = 29, CONTEXT_LR = 30, CONTEXT_SP = 31, CONTEXT_PC = 32 };

/* In the trampoline the stack pointer points at the kernel's rt_sigframe. */
#define FRAME_REGISTERS (sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext.regs))

/* xpaclri, a hint that older processors take for a no-op; it works on x30. */
static inline uint64_t strip(uint64_t target)
{
	register uint64_t link __asm__("x30") = target;

	__asm__("hint #7" : "+r"(link));
	return link;
}

static inline bool return_to(struct unwind_walk *walk, uint64_t target)
{
	target = strip(target);
	if (__builtin_expect(target - UNWIND_LOWEST_CODE > HIGHEST_CODE - UNWIND_LOWEST_CODE, 0))
		return unwind_walk_finish(walk, target ? UNWIND_FAILED : UNWIND_LAST);
	walk->pc = target - 1;
	walk->since++;
	return true;
}

/* The common half of all rules: the CFA is known, saves count from it. */
static inline __attribute__((always_inline)) UNWIND_RAW bool
return_from(struct unwind_walk *walk, uint64_t rule, uint64_t cfa)
{
	int64_t frame = rule_frame(rule);
	int64_t link = rule_other(rule);
	uint64_t target = walk->other;
	uint64_t at = cfa + (uint64_t)(frame * 8);

	if (__builtin_expect(cfa <= walk->sp, 0) && (walk->since || cfa != walk->sp))
		return unwind_walk_finish(walk, UNWIND_BOUNDS);
	if (frame != RULE_SLOT_SAME)
		walk->fp = unwind_range_admits(&walk->range, at) ? unwind_range_load(at) : 0;
	if (link == RULE_SLOT_SAME) {
		if (walk->since)
			return unwind_walk_finish(walk, UNWIND_FAILED);
	} else {
		at = cfa + (uint64_t)(link * 8);
		if (!unwind_range_admits(&walk->range, at))
			return unwind_walk_finish(walk, UNWIND_BOUNDS);
		target = unwind_range_load(at);
	}
	walk->sp = cfa;
	walk->sp_lost = false;
	return return_to(walk, target);
}

static UNWIND_RAW bool signal_frame(struct unwind_walk *walk)
{
	uint64_t at = walk->sp + FRAME_REGISTERS;
	const uint64_t *context = (const uint64_t *)at;

	if (walk->sp_lost || at < walk->sp || !unwind_range_admits(&walk->range, at) ||
	    !unwind_range_admits(&walk->range, (uint64_t)&context[CONTEXT_PC]))
		return unwind_walk_finish(walk, UNWIND_BOUNDS);
	if (!unwind_walk_enter(walk, context, unwind_range_load((uint64_t)&context[CONTEXT_SP])))
		return false;
	walk->fp = unwind_range_load((uint64_t)&context[CONTEXT_FP]);
	walk->other = unwind_range_load((uint64_t)&context[CONTEXT_LR]);
	walk->pc = unwind_range_load((uint64_t)&context[CONTEXT_PC]);
	return true;
}

/*
 * The last resort, marked: the frame record {x29, x30} of code that libunwind knows nothing of,
 * or that counts from a stack pointer that a guess below has lost.
 */
static UNWIND_RAW bool guess(struct unwind_walk *walk, bool in_module)
{
	uint64_t fp = walk->fp;
	uint64_t target;

	if (unwind_range_is_root(walk->sp))
		return unwind_walk_finish(walk, UNWIND_LAST);
	if (fp < walk->sp || !unwind_range_holds(&walk->range, fp) ||
	    !unwind_range_holds(&walk->range, fp + 8))
		return unwind_walk_finish(walk, UNWIND_NO_RULE);
	target = strip(unwind_range_load(fp + 8));
	if (target < UNWIND_LOWEST_CODE || target > HIGHEST_CODE)
		return unwind_walk_finish(walk, UNWIND_NO_RULE);
	if (in_module && !unwind_module_has(target - 1))
		return unwind_walk_finish(walk, UNWIND_NO_RULE);
	walk->result->guessed = true;
	walk->guessed_up = true;
	walk->sp_lost = true;
	walk->fp = unwind_range_load(fp);
	walk->sp = fp + 16; /* not less than this */
	return return_to(walk, target);
}

static bool slow(struct unwind_walk *walk)
{
	uint64_t registers[UNW_REG_LAST + 1] = { 0 };

	for (unsigned i = 0; i <= CONTEXT_PC; i++)
		registers[i] = unwind_range_load((uint64_t)&walk->context[i]);
	if (!unwind_walk_slow(walk, registers))
		return false;
	walk->fp = registers[UNW_AARCH64_X29];
	walk->pc = strip(registers[UNW_REG_IP]) - 1;
	return true;
}

/* CFA = register + offset, for any register. */
static bool from_register(struct unwind_walk *walk, uint64_t rule)
{
	unsigned number = rule_type(rule) - RULE_BASE;
	uint64_t cfa;

	if (number == UNW_AARCH64_SP)
		cfa = walk->sp;
	else if (number == UNW_AARCH64_X29)
		cfa = walk->fp;
	else if (walk->since && number >= UNW_AARCH64_X19 && number <= UNW_AARCH64_X30)
		return slow(walk);
	else
		cfa = unwind_range_load((uint64_t)&walk->context[number & 31]);
	if (number == UNW_AARCH64_SP && walk->sp_lost)
		return guess(walk, true);
	return return_from(walk, rule, cfa + (uint64_t)rule_offset(rule));
}

/* Every rule; follow() takes the two that nearly all frames have. */
static __attribute__((noinline)) bool follow_rare(struct unwind_walk *walk, uint64_t rule)
{
	switch (rule_type(rule)) {
	case RULE_LAST:
		return unwind_walk_finish(walk, UNWIND_LAST);
	case RULE_FABRICATED:
		return walk->since ? unwind_walk_finish(walk, UNWIND_LAST) : guess(walk, true);
	case RULE_ENTRY:
		return walk->since ? guess(walk, true) : return_to(walk, walk->other);
	case RULE_SIGNAL:
		return signal_frame(walk);
	case RULE_SLOW:
		return slow(walk);
	case RULE_ABSENT:
		return guess(walk, true);
	default:
		return from_register(walk, rule);
	}
}

/* A rule that the table lacks.  Code in no module has none, and is not asked for. */
static __attribute__((noinline)) bool follow_unknown(struct unwind_walk *walk)
{
	uint64_t rule;

	if (!unwind_module_has(walk->pc))
		return !unwind_walk_drops(walk) && guess(walk, false);
	rule = unwind_walk_ask(walk);
	return rule && follow_rare(walk, rule);
}

static inline __attribute__((always_inline)) UNWIND_RAW bool follow(struct unwind_walk *walk)
{
	uint64_t rule = rule_table_find(walk->pc, walk->generation);
	uint64_t cfa = (uint64_t)rule_offset(rule);

	if (__builtin_expect(rule_type(rule) == BASE_SP && !walk->sp_lost, 1))
		cfa += walk->sp;
	else if (rule_type(rule) == BASE_FP)
		cfa += walk->fp;
	else
		return rule ? follow_rare(walk, rule) : follow_unknown(walk);
	return return_from(walk, rule, cfa);
}

UNWIND_RAW void unwind_walk(const ucontext_t *context, const struct unwind_stack *stack,
			    uint64_t *pcs, unsigned max, struct unwind_result *result)
{
	const uint64_t *registers = (const uint64_t *)context->uc_mcontext.regs;
	struct unwind_walk walk = {
		.sp = registers[CONTEXT_SP],
		.fp = registers[CONTEXT_FP],
		.other = registers[CONTEXT_LR],
		.pc = registers[CONTEXT_PC],
		.context = registers,
	};
	bool more = unwind_walk_begin(&walk, context, stack, result);
	unsigned depth = 0;

	if (max)
		pcs[depth++] = walk.pc;
	while (more && follow(&walk)) {
		if (depth == max) {
			unwind_walk_finish(&walk, UNWIND_MAX);
			break;
		}
		pcs[depth++] = walk.pc;
	}
	result->depth = depth - walk.drop;
}
