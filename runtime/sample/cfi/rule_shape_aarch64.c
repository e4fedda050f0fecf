/*
 * aarch64: the shapes of frames that occur, as rules.  The return address is in x30 until a
 * function saves it, and then in a slot.  The CFA is a register plus an offset.  Everything else is
 * RULE_SLOW.
 */
#include "runtime/sample/cfi/rule_question.h"

#include <stddef.h>

#include "runtime/sample/cfi/rule.h"

/* movz x8, #139; svc #0: the trampoline that the kernel's vDSO provides (arch/arm64). */
#define TRAMPOLINE 0xd4000001d2801168ULL

/* adrp x16; ldr x17, [x16, …]; add x16, x16, …; br x17: a PLT entry, as linkers write it. */
#define PLT_FIRST_MASK	0xff0000009f000000ULL
#define PLT_FIRST	0xf900000090000000ULL
#define PLT_SECOND_MASK 0xffffffffff000000ULL
#define PLT_SECOND	0xd61f022091000000ULL

#define NOP 0xd503201fULL

const int rule_shape_pc = UNW_AARCH64_PC;
const unsigned rule_shape_registers = 96; /* up to v31 */

static uint64_t slow(void)
{
	return rule_make(RULE_SLOW, 0, 0, 0);
}

/* A saved register as a slot counted from the CFA. */
static int64_t slot_of(struct rule_question *question, const struct rule_value *value,
		       unsigned number, const struct rule_value *cfa)
{
	struct rule_value address;

	if (value->origin == RULE_FROM_REGISTER && value->index == number && !value->delta)
		return RULE_SLOT_SAME;
	if (value->origin != RULE_FROM_MEMORY || value->delta)
		return RULE_SLOT_LOST;
	address = rule_question_sort(question->word[value->index]);
	if (address.origin != RULE_FROM_REGISTER || address.index != cfa->index ||
	    !rule_slot_fits(address.delta - cfa->delta))
		return RULE_SLOT_LOST;
	return (address.delta - cfa->delta) / 8;
}

/* When libunwind 1.6 cannot read a description, it answers that the return address is in x30, as in
 * a leaf.  It then moves the location of the program counter, which a description never does. */
static bool is_fallback(struct rule_question *question)
{
	struct rule_value pc;

	return rule_question_value(question, UNW_AARCH64_PC, &pc) &&
	       pc.origin == RULE_FROM_REGISTER && pc.index == UNW_AARCH64_X30;
}

/* True if the return address lies below the CFA of its frame.  The description of glibc's
 * _dl_runtime_resolve ignores the pair that the procedure linkage table has pushed: the CFA is 16
 * bytes too low, and so is the caller's stack pointer. */
static int64_t too_low(int64_t link_slot)
{
	return link_slot >= 0 ? (link_slot + 2) / 2 * 16 : 0;
}

uint64_t rule_shape_decode(struct rule_question *question)
{
	struct rule_value cfa;
	struct rule_value frame;
	struct rule_value link;
	int64_t frame_slot = RULE_SLOT_SAME;
	int64_t link_slot;
	int64_t low;

	if (is_fallback(question))
		return rule_make(RULE_ABSENT, 0, 0, 0);
	if (!rule_question_value(question, UNW_AARCH64_SP, &cfa) ||
	    !rule_question_value(question, UNW_REG_IP, &link) || cfa.origin != RULE_FROM_REGISTER ||
	    cfa.index > UNW_AARCH64_SP || !rule_offset_fits(cfa.delta))
		return slow();
	if (rule_question_value(question, UNW_AARCH64_X29, &frame))
		frame_slot = slot_of(question, &frame, UNW_AARCH64_X29, &cfa);
	link_slot = slot_of(question, &link, UNW_AARCH64_X30, &cfa);
	if (frame_slot == RULE_SLOT_LOST || link_slot == RULE_SLOT_LOST)
		return slow();
	low = too_low(link_slot);
	if (low && frame_slot != RULE_SLOT_SAME)
		frame_slot -= low / 8;
	if (low)
		link_slot -= low / 8;
	return rule_make(RULE_BASE + cfa.index, cfa.delta + low, frame_slot, link_slot);
}

static bool is_word(struct rule_question *question, uint64_t address, uint64_t mask,
		    uint64_t wanted)
{
	uint64_t word;

	return unwind_module_read(question->module, address, &word) && (word & mask) == wanted;
}

static bool is_plt(struct rule_question *question, uint64_t address)
{
	return is_word(question, address, PLT_FIRST_MASK, PLT_FIRST) &&
	       is_word(question, address + 8, PLT_SECOND_MASK, PLT_SECOND);
}

/* A leaf's return address is in a register, whatever its entry says. */
uint64_t rule_shape_doubt(uint64_t rule)
{
	return rule;
}

/* A signal trampoline, asked for as a caller (one byte before it), at its first instruction or
 * at its second; and the four instructions of a PLT entry, which has no description. */
uint64_t rule_shape_recognise(struct rule_question *question)
{
	uint64_t address = question->address;

	if (is_word(question, address + 1, ~0ULL, TRAMPOLINE) ||
	    is_word(question, address, ~0ULL, TRAMPOLINE) ||
	    is_word(question, address - 4, ~0ULL, TRAMPOLINE))
		return rule_make(RULE_SIGNAL, 0, 0, 0);
	if (address & 3)
		return RULE_MISSING;
	for (unsigned back = 0; back <= 12; back += 4)
		if (is_plt(question, address - back))
			return rule_make((int)RULE_BASE + UNW_AARCH64_SP, 0, RULE_SLOT_SAME,
					 RULE_SLOT_SAME);
	return RULE_MISSING;
}

bool rule_shape_is_padding(struct rule_question *question, uint64_t end)
{
	if (question->address & 3)
		return false;
	for (uint64_t address = question->address; address < end; address += 4)
		if (!is_word(question, address, 0xffffffff, NOP))
			return false;
	return true;
}
