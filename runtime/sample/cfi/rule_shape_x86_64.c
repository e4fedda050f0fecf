/*
 * x86-64: the shapes of frames that occur, as rules.  Everything that is not exactly one of them is
 * RULE_SLOW, because a rule that is nearly right would be wrong without a sign.
 */
#include "runtime/sample/cfi/rule_question.h"

#include <stddef.h>
#include <ucontext.h>

#include "runtime/sample/cfi/rule.h"

/* Offsets from the stack pointer in __restore_rt, where it points at the ucontext. */
#define CONTEXT_WORD(reg) \
	((int64_t)(offsetof(ucontext_t, uc_mcontext.gregs) + (reg) * sizeof(greg_t)))

/* 48 c7 c0 0f 00 00 00 0f 05, mov $15,%rax; syscall: gdb recognises a trampoline by these bytes. */
#define TRAMPOLINE_FIRST 0x0f0000000fc0c748ULL
#define TRAMPOLINE_LAST	 0x05

const int rule_shape_pc = UNW_X86_64_RIP;
const unsigned rule_shape_registers = UNW_X86_64_RIP + 1;

/* The address of a word that was read, as a value; false if `value` is not such a word. */
static bool word_address(const struct rule_question *question, const struct rule_value *value,
			 struct rule_value *address)
{
	if (value->origin != RULE_FROM_MEMORY || value->delta)
		return false;
	*address = rule_question_sort(question->word[value->index]);
	return true;
}

static bool same_origin(const struct rule_value *a, const struct rule_value *b)
{
	return a->origin == b->origin && a->index == b->index;
}

/* A callee-saved register as a slot counted from `base`. */
static int64_t slot_of(struct rule_question *question, int number, const struct rule_value *base)
{
	struct rule_value value;
	struct rule_value address;

	if (!rule_question_value(question, number, &value))
		return RULE_SLOT_SAME; /* undefined: the value is never used */
	if (value.origin == RULE_FROM_REGISTER && value.index == (unsigned)number && !value.delta)
		return RULE_SLOT_SAME;
	if (!word_address(question, &value, &address) || !same_origin(&address, base) ||
	    !rule_slot_fits(address.delta - base->delta))
		return RULE_SLOT_LOST;
	return (address.delta - base->delta) / 8;
}

static uint64_t slow(void)
{
	return rule_make(RULE_SLOW, 0, 0, 0);
}

static bool is_saved_at_itself(struct rule_question *question, int number)
{
	struct rule_value value;
	struct rule_value address;

	return rule_question_value(question, number, &value) &&
	       word_address(question, &value, &address) && address.origin == RULE_FROM_REGISTER &&
	       address.index == (unsigned)number && !address.delta;
}

/* CFA = register + offset. */
static uint64_t decode_base(struct rule_question *question, const struct rule_value *cfa)
{
	int64_t frame = slot_of(question, UNW_X86_64_RBP, cfa);
	int64_t other = slot_of(question, UNW_X86_64_RBX, cfa);

	if (cfa->index > UNW_X86_64_R15 || !rule_offset_fits(cfa->delta))
		return slow();
	if (frame == RULE_SLOT_LOST && cfa->index != UNW_X86_64_RBP &&
	    is_saved_at_itself(question, UNW_X86_64_RBP))
		return rule_make(RULE_EDGE, cfa->delta, 0, cfa->index);
	if (frame == RULE_SLOT_LOST)
		return slow();
	return rule_make(RULE_BASE + cfa->index, cfa->delta, frame, other);
}

/* CFA = word at stack pointer + offset, moved by `cfa->delta`; saves count from the CFA. */
static uint64_t decode_load(struct rule_question *question, const struct rule_value *cfa,
			    const struct rule_value *address)
{
	int64_t frame = slot_of(question, UNW_X86_64_RBP, cfa);

	if (frame == RULE_SLOT_LOST || !rule_offset_fits(address->delta) ||
	    !rule_slot_fits(cfa->delta))
		return slow();
	return rule_make(RULE_LOAD, address->delta, frame, cfa->delta / 8);
}

/* CFA = word at frame pointer + offset; saves count from the frame pointer. */
static uint64_t decode_drap(struct rule_question *question, const struct rule_value *cfa,
			    const struct rule_value *address)
{
	struct rule_value base = { RULE_FROM_REGISTER, UNW_X86_64_RBP, 0 };
	int64_t frame = slot_of(question, UNW_X86_64_RBP, &base);
	int64_t other = slot_of(question, UNW_X86_64_RBX, &base);

	if (frame == RULE_SLOT_LOST || cfa->delta || !rule_offset_fits(address->delta))
		return slow();
	return rule_make(RULE_DRAP, address->delta, frame, other);
}

static bool is_signal_frame(const struct rule_value *cfa, const struct rule_value *cfa_at,
			    const struct rule_value *return_at)
{
	return !cfa->delta && cfa_at->origin == RULE_FROM_REGISTER &&
	       cfa_at->index == UNW_X86_64_RSP && cfa_at->delta == CONTEXT_WORD(REG_RSP) &&
	       same_origin(cfa_at, return_at) && return_at->delta == CONTEXT_WORD(REG_RIP);
}

uint64_t rule_shape_decode(struct rule_question *question)
{
	struct rule_value cfa;
	struct rule_value cfa_at = { .origin = RULE_FROM_ELSEWHERE };
	struct rule_value return_to;
	struct rule_value return_at;

	if (!rule_question_value(question, UNW_X86_64_RSP, &cfa) ||
	    !rule_question_value(question, UNW_X86_64_RIP, &return_to) ||
	    !word_address(question, &return_to, &return_at))
		return slow();
	if (cfa.origin == RULE_FROM_MEMORY) {
		cfa_at = rule_question_sort(question->word[cfa.index]);
		if (is_signal_frame(&cfa, &cfa_at, &return_at))
			return rule_make(RULE_SIGNAL, 0, 0, 0);
	}
	if (!same_origin(&return_at, &cfa) || return_at.delta != cfa.delta - 8)
		return slow();
	if (cfa.origin == RULE_FROM_REGISTER)
		return decode_base(question, &cfa);
	if (cfa_at.origin != RULE_FROM_REGISTER)
		return slow();
	if (cfa_at.index == UNW_X86_64_RSP)
		return decode_load(question, &cfa, &cfa_at);
	if (cfa_at.index == UNW_X86_64_RBP)
		return decode_drap(question, &cfa, &cfa_at);
	return slow();
}

uint64_t rule_shape_doubt(uint64_t rule)
{
	if (rule_type(rule) != (int)RULE_BASE + UNW_X86_64_RSP)
		return rule;
	return rule_make(RULE_DOUBTED, rule_offset(rule), rule_frame(rule), rule_other(rule));
}

static bool is_trampoline(struct rule_question *question, uint64_t address)
{
	uint64_t first;
	uint64_t rest;

	return unwind_module_read(question->module, address, &first) && first == TRAMPOLINE_FIRST &&
	       unwind_module_read(question->module, address + 1, &rest) &&
	       rest >> 56 == TRAMPOLINE_LAST;
}

/* A signal trampoline without unwind information (musl), asked for as a caller (one byte
 * before it), at its first instruction, or at its second. */
uint64_t rule_shape_recognise(struct rule_question *question)
{
	uint64_t address = question->address;

	if (is_trampoline(question, address + 1) || is_trampoline(question, address) ||
	    is_trampoline(question, address - 7))
		return rule_make(RULE_SIGNAL, 0, 0, 0);
	return RULE_MISSING;
}

/* Returns the length of the nop at address.  0: there is none (the forms of Intel's manual,
 * NOP). */
static unsigned nop_bytes(struct rule_question *question, uint64_t address)
{
	uint64_t code;
	unsigned prefixes = 0;

	if (!unwind_module_read(question->module, address, &code))
		return 0;
	while ((code & 0xff) == 0x66 || (code & 0xff) == 0x2e) {
		prefixes++;
		if (!unwind_module_read(question->module, address + prefixes, &code))
			return 0;
	}
	if ((code & 0xff) == 0x90)
		return prefixes + 1;
	switch (code & 0xffffff) {
	case 0x001f0f:
		return prefixes + 3;
	case 0x401f0f:
		return prefixes + 4;
	case 0x441f0f:
		return prefixes + 5;
	case 0x801f0f:
		return prefixes + 7;
	case 0x841f0f:
		return prefixes + 8;
	default:
		return 0;
	}
}

bool rule_shape_is_padding(struct rule_question *question, uint64_t end)
{
	uint64_t address = question->address;
	unsigned bytes;

	while (address < end) {
		bytes = nop_bytes(question, address);
		if (!bytes)
			return false;
		address += bytes;
	}
	return address == end;
}
