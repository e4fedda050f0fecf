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
 * - A frame taken from the frame pointer alone is marked as a guess, always.
 * - No lock, no allocation, no system call while rules are known and the stack is the thread's.
 */
#include "runtime/sample/unwind.h"

#include <stddef.h>
#include <string.h>

#include "runtime/sample/rule.h"
#include "runtime/sample/rule_ask.h"
#include "runtime/sample/rule_table.h"
#include "runtime/sample/unwind_gate.h"
#include "runtime/sample/unwind_module.h"
#include "runtime/sample/unwind_range.h"

#define SWITCHES_MAX	4
#define ASK_STACK_BYTES 8192 /* asking takes 4 KB, measured */
#define SLOW_STEPS_MAX	64
#define LOWEST_CODE	65536ULL /* vm.mmap_min_addr */
#define HIGHEST_CODE	0x7fffffffffffULL

enum { BASE_RBP = RULE_BASE + UNW_X86_64_RBP, BASE_RSP = RULE_BASE + UNW_X86_64_RSP };

/* ucontext's order of registers, by DWARF number. */
static const uint8_t context_index[] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP, REG_R8,
	REG_R9,	 REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
};

struct walk {
	struct unwind_range range;
	uint64_t sp; /* CFA of the frame below */
	uint64_t bp;
	uint64_t bx;
	uint64_t pc;		 /* address to look up */
	const uint64_t *context; /* registers of the leaf, or of the last signal frame's */
	unsigned since;		 /* frames since then */
	bool bx_lost;
	bool slow_used;	 /* once per walk is enough */
	bool guessed_up; /* libunwind could not follow from the context to here */
	bool drop;	 /* the last frame is none after all */
	unsigned switches;
	uint64_t generation;
	const ucontext_t *signal;
	const struct unwind_stack *stack;
	struct unwind_result *result;
};

static bool finish(struct walk *walk, enum unwind_end end)
{
	walk->result->end = end;
	walk->result->end_pc = end == UNWIND_LAST ? 0 : walk->pc;
	return false;
}

/* The common half of all rules: the CFA is known, the return address is below it. */
static inline __attribute__((always_inline)) UNWIND_RAW bool return_from(struct walk *walk,
									 uint64_t cfa)
{
	uint64_t target;

	if (__builtin_expect(cfa <= walk->sp, 0) || !unwind_range_admits(&walk->range, cfa - 8))
		return finish(walk, UNWIND_BOUNDS);
	target = unwind_range_load(cfa - 8);
	if (__builtin_expect(target - LOWEST_CODE > HIGHEST_CODE - LOWEST_CODE, 0))
		return finish(walk, target ? UNWIND_FAILED : UNWIND_LAST);
	walk->sp = cfa;
	walk->pc = target - 1;
	walk->since++;
	return true;
}

/*
 * Callee-saved registers from their slots, which count from `base`.  A slot that cannot be read
 * ends nothing: most frames never look at the register.  One that does finds no CFA there.
 */
static inline __attribute__((always_inline)) UNWIND_RAW void restore(struct walk *walk,
								     uint64_t rule, uint64_t base)
{
	int64_t frame = rule_frame(rule);
	int64_t other = rule_other(rule);
	uint64_t at = base + (uint64_t)(frame * 8);

	if (frame != RULE_SLOT_SAME)
		walk->bp = unwind_range_admits(&walk->range, at) ? unwind_range_load(at) : 0;
	if (other == RULE_SLOT_SAME)
		return;
	at = base + (uint64_t)(other * 8);
	walk->bx_lost = other == RULE_SLOT_LOST || !unwind_range_admits(&walk->range, at);
	if (!walk->bx_lost)
		walk->bx = unwind_range_load(at);
}

static bool to_context(struct walk *walk, const uint64_t *context, uint64_t address)
{
	struct unwind_range old = walk->range;
	uint64_t sp = context[REG_RSP];

	if (unwind_range_holds(&old, sp)) {
		if (sp <= walk->sp)
			return finish(walk, UNWIND_BOUNDS);
	} else if (walk->switches++ == SWITCHES_MAX ||
		   !unwind_range_pick(&walk->range, sp, &walk->signal->uc_stack, walk->stack)) {
		return finish(walk, UNWIND_BOUNDS);
	}
	walk->context = context;
	walk->since = 0;
	walk->guessed_up = false;
	walk->sp = sp;
	walk->bp = context[REG_RBP];
	walk->bx = context[REG_RBX];
	walk->bx_lost = false;
	walk->pc = address;
	return true;
}

/* In the trampoline the stack pointer points at the ucontext the kernel wrote. */
static UNWIND_RAW bool signal_frame(struct walk *walk)
{
	uint64_t at = walk->sp + offsetof(ucontext_t, uc_mcontext.gregs);
	uint64_t address;

	if (at < walk->sp || !unwind_range_admits(&walk->range, at) ||
	    !unwind_range_admits(&walk->range, at + REG_RIP * sizeof(greg_t)))
		return finish(walk, UNWIND_BOUNDS);
	address = unwind_range_load(at + REG_RIP * sizeof(greg_t));
	return to_context(walk, (const uint64_t *)at, address);
}

/*
 * The last resort, marked: rbp of code that libunwind knows nothing of.  It must point above
 * the frame, into the stack, at a pair whose second word is an address of loaded code; code
 * that is itself in no module (a JIT's) may have been called by its like.
 */
static UNWIND_RAW bool guess(struct walk *walk, bool in_module)
{
	uint64_t bp = walk->bp;
	uint64_t target;

	if (unwind_range_is_root(walk->sp))
		return finish(walk, UNWIND_LAST);
	if (bp < walk->sp || !unwind_range_holds(&walk->range, bp) ||
	    !unwind_range_holds(&walk->range, bp + 8))
		return finish(walk, UNWIND_NO_RULE);
	target = unwind_range_load(bp + 8);
	if (target < LOWEST_CODE || target > HIGHEST_CODE)
		return finish(walk, UNWIND_NO_RULE);
	if (in_module && unwind_module_known() && !unwind_module_has(target - 1))
		return finish(walk, UNWIND_NO_RULE);
	walk->result->guessed = true;
	walk->guessed_up = true;
	walk->bx_lost = true;
	walk->bp = unwind_range_load(bp);
	walk->sp = bp + 16;
	walk->pc = target - 1;
	walk->since++;
	return true;
}

/* libunwind's own steps, from the last context that is known whole up to here. */
static UNWIND_RAW bool slow(struct walk *walk)
{
	uint64_t registers[UNW_REG_LAST + 1];
	bool done;

	if (walk->slow_used || walk->guessed_up || walk->since >= SLOW_STEPS_MAX)
		return finish(walk, UNWIND_FAILED);
	if (!unwind_range_headroom(ASK_STACK_BYTES, &walk->signal->uc_stack, walk->stack))
		return finish(walk, UNWIND_BOUNDS);
	if (!unwind_gate_try())
		return finish(walk, UNWIND_BUSY);
	walk->slow_used = true;
	memset(registers, 0, sizeof(registers));
	for (unsigned i = 0; i < sizeof(context_index); i++)
		registers[i] = unwind_range_load((uint64_t)&walk->context[context_index[i]]);
	done = rule_ask_real(registers, walk->since + 1, &walk->range);
	unwind_gate_leave();
	if (!done || registers[UNW_X86_64_RSP] <= walk->sp)
		return finish(walk, UNWIND_FAILED);
	walk->sp = registers[UNW_X86_64_RSP];
	walk->bp = registers[UNW_X86_64_RBP];
	walk->bx = registers[UNW_X86_64_RBX];
	walk->bx_lost = false;
	walk->pc = registers[UNW_X86_64_RIP] - 1;
	walk->since++;
	return true;
}

/* CFA = register + offset, for any register. */
static UNWIND_RAW bool from_register(struct walk *walk, uint64_t rule)
{
	unsigned number = rule_type(rule) - RULE_BASE;
	uint64_t value;
	uint64_t cfa;

	if (number == UNW_X86_64_RSP) {
		value = walk->sp;
	} else if (number == UNW_X86_64_RBP) {
		value = walk->bp;
	} else if (number == UNW_X86_64_RBX) {
		if (walk->bx_lost)
			return slow(walk);
		value = walk->bx;
	} else if (number >= UNW_X86_64_R12 && walk->since) {
		return slow(walk);
	} else {
		value = unwind_range_load((uint64_t)&walk->context[context_index[number]]);
	}
	cfa = value + (uint64_t)rule_offset(rule);
	restore(walk, rule, cfa);
	return return_from(walk, cfa);
}

static UNWIND_RAW bool from_drap(struct walk *walk, uint64_t rule)
{
	uint64_t bp = walk->bp;
	uint64_t at = bp + (uint64_t)rule_offset(rule);
	uint64_t cfa;

	if (!unwind_range_admits(&walk->range, at))
		return finish(walk, UNWIND_BOUNDS);
	cfa = unwind_range_load(at);
	restore(walk, rule, bp);
	return return_from(walk, cfa);
}

static UNWIND_RAW bool from_load(struct walk *walk, uint64_t rule)
{
	uint64_t at = walk->sp + (uint64_t)rule_offset(rule);
	uint64_t none = rule_make(0, 0, rule_frame(rule), RULE_SLOT_LOST);
	uint64_t cfa;

	if (!unwind_range_admits(&walk->range, at))
		return finish(walk, UNWIND_BOUNDS);
	cfa = unwind_range_load(at) + (uint64_t)(rule_other(rule) * 8);
	restore(walk, none, cfa);
	return return_from(walk, cfa);
}

/*
 * gcc puts a copy of the return address above the saved rbp of a frame that it realigns, so a
 * pair {any, return address} at rbp says that rbp has not been restored yet.
 */
static UNWIND_RAW bool from_edge(struct walk *walk, uint64_t rule)
{
	uint64_t bp = walk->bp;
	uint64_t cfa;

	if (walk->since)
		return slow(walk);
	cfa = unwind_range_load((uint64_t)&walk->context[context_index[rule_other(rule) & 15]]);
	cfa += (uint64_t)rule_offset(rule);
	walk->bx_lost = true;
	if (unwind_range_admits(&walk->range, cfa - 8) && bp < cfa &&
	    unwind_range_holds(&walk->range, bp) && unwind_range_holds(&walk->range, bp + 8) &&
	    unwind_range_load(bp + 8) == unwind_range_load(cfa - 8))
		walk->bp = unwind_range_load(bp);
	return return_from(walk, cfa);
}

/* Every rule; follow() takes the two that nearly all frames have. */
static __attribute__((noinline)) bool follow_rare(struct walk *walk, uint64_t rule)
{
	switch (rule_type(rule)) {
	case RULE_LAST:
		return finish(walk, UNWIND_LAST);
	case RULE_FABRICATED:
		return walk->since ? finish(walk, UNWIND_LAST) : guess(walk, true);
	case RULE_SIGNAL:
		return signal_frame(walk);
	case RULE_DRAP:
		return from_drap(walk, rule);
	case RULE_LOAD:
		return from_load(walk, rule);
	case RULE_EDGE:
		return from_edge(walk, rule);
	case RULE_SLOW:
		return slow(walk);
	case RULE_ABSENT:
		return guess(walk, true);
	default:
		return from_register(walk, rule);
	}
}

/* A rule that the table lacks.  Code in no module has none, and is not asked for. */
static __attribute__((noinline)) bool follow_unknown(struct walk *walk)
{
	uint64_t rule;

	if (!unwind_module_has(walk->pc)) {
		/* a caller that is an address of the stack was no return address */
		walk->drop = walk->since && unwind_range_holds(&walk->range, walk->pc & ~7ULL);
		return walk->drop ? finish(walk, UNWIND_FAILED) : guess(walk, false);
	}
	if (!unwind_range_headroom(ASK_STACK_BYTES, &walk->signal->uc_stack, walk->stack))
		return finish(walk, UNWIND_BOUNDS);
	if (!unwind_gate_try())
		return finish(walk, UNWIND_BUSY);
	rule = rule_ask(walk->pc);
	if (rule)
		rule_table_put(walk->pc, walk->generation, rule);
	unwind_gate_leave();
	walk->result->misses++;
	return rule ? follow_rare(walk, rule) : finish(walk, UNWIND_FAILED);
}

static inline __attribute__((always_inline)) UNWIND_RAW bool follow(struct walk *walk)
{
	uint64_t rule = rule_table_find(walk->pc, walk->generation);
	uint64_t cfa = (uint64_t)rule_offset(rule);

	if (__builtin_expect(rule_type(rule) == BASE_RSP, 1))
		cfa += walk->sp;
	else if (rule_type(rule) == BASE_RBP)
		cfa += walk->bp;
	else
		return rule ? follow_rare(walk, rule) : follow_unknown(walk);
	restore(walk, rule, cfa);
	return return_from(walk, cfa);
}

UNWIND_RAW void unwind_walk(const ucontext_t *context, const struct unwind_stack *stack,
			    uint64_t *pcs, unsigned max, struct unwind_result *result)
{
	const uint64_t *registers = (const uint64_t *)context->uc_mcontext.gregs;
	struct walk walk = {
		.sp = registers[REG_RSP],
		.bp = registers[REG_RBP],
		.bx = registers[REG_RBX],
		.pc = registers[REG_RIP],
		.context = registers,
		.generation = rule_table_generation(),
		.signal = context,
		.stack = stack,
		.result = result,
	};
	unsigned depth = 0;

	memset(result, 0, sizeof(*result));
	if (!unwind_range_pick(&walk.range, walk.sp, &context->uc_stack, stack)) {
		if (max)
			pcs[depth++] = walk.pc;
		finish(&walk, UNWIND_BOUNDS);
	} else {
		do {
			if (depth == max) {
				finish(&walk, UNWIND_MAX);
				break;
			}
			pcs[depth++] = walk.pc;
		} while (follow(&walk));
	}
	result->depth = depth - walk.drop;
}
