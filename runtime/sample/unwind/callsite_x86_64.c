/*
 * Calls on x86-64: E8 with a distance, or FF /2 with any operand.  Bytes before an address may look
 * like a call by chance; the destination gives more evidence.
 *
 * The return address lies above everything that the function has pushed or reserved.  Words in that
 * space may also point behind calls: they are left over from calls that have returned.
 *
 * The right call went to the function that holds the code, and no function begins between the start
 * of that function and the code.  So of all calls with a known destination, the one with the
 * nearest destination below the code is taken.  If there is none, the call without a known
 * destination that is nearest to the stack pointer is taken.
 *
 * If the frame pointer leads to a frame, the search stops at that frame, and a word below it must
 * be better than the frame's own, or lie right at the stack pointer.  A leaf that has only pushed
 * registers has no left-over words: there, the first call is the right one.
 */
#include "runtime/sample/unwind/callsite.h"

#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/unwind_library.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/unwind/unwind_ask.h"
#include "runtime/sample/unwind/unwind_return_x86_64.h"

#define CALL_MAX       7
#define CALL	       0xe8
#define NOP	       0x90
#define RELATIVE_BYTES 5 /* E8 and a distance */
#define POINTER_BYTES  6 /* FF /2 or FF /4, and the distance to a pointer */
#define STUB_MAX       11
#define ENDBR_BYTES    4

const uint64_t callsite_key_bit = 1ULL << 47; /* set in no address of a process */

static uint64_t relative(uint64_t returns, const uint8_t *end)
{
	int32_t distance;

	memcpy(&distance, end - sizeof(distance), sizeof(distance));
	return returns + (uint64_t)(int64_t)distance;
}

/* True for FF /2 of that many bytes, without prefix (Intel SDM, volume 2, 2.1.5: ModR/M and
 * SIB). */
static bool is_indirect(const uint8_t *call, unsigned bytes)
{
	unsigned mode = call[1] >> 6, base = call[1] & 7;
	bool indexed = mode != 3 && base == 4;
	unsigned length = indexed ? 3 : 2;

	if (call[0] != 0xff || (call[1] >> 3 & 7) != 2 || length > bytes)
		return false;
	if (indexed)
		base = call[2] & 7;
	if (mode == 1)
		length++;
	if (mode == 2 || (mode == 0 && base == 5))
		length += 4;
	return length == bytes;
}

/* Reads the code at an address, behind the endbr64 that it may begin with.  False: it cannot be
 * read. */
static bool read_start(const struct unwind_walk *walk, uint64_t start, uint8_t code[STUB_MAX],
		       unsigned *skipped)
{
	if (!unwind_ask_code(walk, code, start, STUB_MAX))
		return false;
	*skipped = memcmp(code, "\xf3\x0f\x1e\xfa", ENDBR_BYTES) ? 0 : ENDBR_BYTES;
	return true;
}

/* Returns the value of the pointer that an instruction ending at `next` addresses by a distance.  A
 * pointer that the loader has not resolved yet leads to code that pushes an index for it. */
static uint64_t pointed_to(const struct unwind_walk *walk, uint64_t next, const uint8_t *end)
{
	uint8_t code[STUB_MAX];
	unsigned at;
	uint64_t start;

	if (!memory_copy(&start, relative(next, end), sizeof(start)) || !unwind_module_has(start) ||
	    !read_start(walk, start, code, &at) || code[at] == 0x68)
		return CALLSITE_UNKNOWN;
	return start;
}

/* Returns the final destination of a direct call.  A stub of the linker jumps through a pointer, by
 * FF 25, with or without a bnd prefix. */
static uint64_t behind_stub(const struct unwind_walk *walk, uint64_t start)
{
	uint8_t code[STUB_MAX];
	unsigned at;

	if (!read_start(walk, start, code, &at))
		return CALLSITE_UNKNOWN;
	at += code[at] == 0xf2;
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return start;
	at += POINTER_BYTES;
	return pointed_to(walk, start + at, code + at);
}

static bool is_goexit(const struct unwind_walk *walk, uint64_t returns, const uint8_t *end)
{
	uint8_t next;

	return end[-1] == NOP && unwind_module_has(returns) &&
	       unwind_ask_code(walk, &next, returns, sizeof(next)) && next == CALL;
}

uint64_t callsite_callee(const struct unwind_walk *walk, uint64_t returns, bool destination)
{
	uint8_t code[CALL_MAX];
	const uint8_t *end = code + CALL_MAX;

	if (!unwind_ask_code(walk, code, returns - CALL_MAX, CALL_MAX))
		return CALLSITE_NONE;
	if (end[-RELATIVE_BYTES] == CALL && unwind_module_has(relative(returns, end)))
		return destination ? behind_stub(walk, relative(returns, end)) : CALLSITE_SOME;
	if (end[-RELATIVE_BYTES] == CALL && !unwind_module_has(returns - 1))
		return CALLSITE_UNKNOWN; /* from one piece of run-time compiled code to another */
	if (end[-POINTER_BYTES] == 0xff && end[1 - POINTER_BYTES] == 0x15)
		return destination ? pointed_to(walk, returns, end) : CALLSITE_SOME;
	for (unsigned bytes = 2; bytes <= CALL_MAX; bytes++)
		if (is_indirect(end - bytes, bytes))
			return CALLSITE_UNKNOWN;
	return is_goexit(walk, returns, end) ? CALLSITE_ROOT : CALLSITE_NONE;
}

#define FAR_WORDS    64
#define NEAR_WORDS   16
#define ENTRY_BYTES  64 /* of a function that has only begun */
#define PUSHED_WORDS 6	/* rbx, rbp, r12 to r15: above them a leaf has no space of its own */

/* A pointer to data is rejected here, because reading its target costs too much. */
static bool may_be_code(const struct unwind_walk *walk, uint64_t address)
{
	return unwind_module_has(address) || callsite_scan_is_code(walk, address);
}

/* If sp is not known to be above the word, the word may be the one that led here. */
static bool may_return_to(const struct unwind_walk *walk, uint64_t returns)
{
	return !(walk->by_frame && returns == walk->pc + 1) && may_be_code(walk, returns - 1);
}

static MEMORY_RAW uint32_t distance_at(struct unwind_walk *walk, uint64_t at)
{
	uint64_t returns = unwind_range_load(at);

	return may_return_to(walk, returns) ? callsite_scan_distance(walk, returns)
					    : CALLSITE_SCAN_NONE;
}

static MEMORY_RAW bool returns_to_call(struct unwind_walk *walk, uint64_t at)
{
	uint64_t returns = unwind_range_load(at);

	return may_return_to(walk, returns) && callsite_scan_is_called(walk, returns);
}

/* True if there are two words above the slot. */
static bool is_pair(const struct unwind_walk *walk, uint64_t frame, uint64_t slot)
{
	return frame > slot && unwind_range_holds(&walk->range, frame) &&
	       unwind_range_holds(&walk->range, frame + 8);
}

/* True if there is, above the slot, a pair of a frame pointer and a return address. */
static MEMORY_RAW bool is_frame(const struct unwind_walk *walk, uint64_t frame, uint64_t slot)
{
	return is_pair(walk, frame, slot) && may_be_code(walk, unwind_range_load(frame + 8) - 1);
}

/* True if the caller that the word at `slot` names has a return address where its rule says.  Words
 * that are left over from earlier calls rarely pass this test. */
static MEMORY_RAW bool leads_on(struct unwind_walk *walk, uint64_t slot)
{
	uint64_t rule = unwind_ask_peek(walk, unwind_range_load(slot) - 1);
	uint64_t at = slot + (uint64_t)rule_offset(rule);

	if (rule_type(rule) != (int)RULE_BASE + UNW_X86_64_RSP)
		return true; /* cannot be checked */
	return unwind_range_holds(&walk->range, at) &&
	       may_be_code(walk, unwind_range_load(at) - 1) &&
	       callsite_scan_is_called(walk, unwind_range_load(at));
}

/* True if the word at `slot` is preferred to the frame pointer's.  If both follow calls of the same
 * function, one of them is left over from an earlier call.  It is the frame pointer's if rbp is a
 * pointer to data that happens to lie next to such a word.  The word whose caller has a caller
 * wins. */
static MEMORY_RAW bool beats_frame(struct unwind_walk *walk, uint64_t slot, uint32_t best,
				   uint32_t in_frame)
{
	if (best == in_frame && best < CALLSITE_SCAN_UNKNOWN)
		return leads_on(walk, slot) && !leads_on(walk, walk->fp + 8);
	return best < in_frame;
}

/* True where a call without a known destination may be searched for.  Code from a run-time compiler
 * is called by no other kind of call. */
static bool is_near(struct unwind_walk *walk, unsigned word)
{
	return word < NEAR_WORDS || !unwind_module_has(walk->pc);
}

/* Returns the slot of the return address.  0: there is none, or none better than `framed`, the
 * return address that the frame pointer leads to (0: none). */
static MEMORY_RAW uint64_t find_slot(struct unwind_walk *walk, uint64_t framed)
{
	uint32_t in_frame = framed ? callsite_scan_distance(walk, framed) : CALLSITE_SCAN_NONE;
	uint32_t best = CALLSITE_SCAN_NONE, top = CALLSITE_SCAN_NONE;
	uint64_t slot = 0;

	for (unsigned i = 0; i < FAR_WORDS; i++) {
		uint64_t at = walk->sp + i * sizeof(uint64_t);
		uint32_t distance;

		if (!unwind_range_holds(&walk->range, at) || (framed && at >= walk->fp))
			break;
		distance = distance_at(walk, at);
		if (distance < best && (distance < CALLSITE_SCAN_UNKNOWN ||
					(is_near(walk, i) && leads_on(walk, at)))) {
			best = distance;
			slot = at;
		}
		if (!i)
			top = distance;
		if (best <= CALLSITE_SCAN_UNKNOWN && i <= PUSHED_WORDS && !walk->since)
			break;
	}
	if (top != CALLSITE_SCAN_NONE && best >= CALLSITE_SCAN_UNKNOWN &&
	    in_frame >= CALLSITE_SCAN_UNKNOWN)
		return walk->sp;
	if (best == CALLSITE_SCAN_UNKNOWN && in_frame == CALLSITE_SCAN_UNKNOWN && !walk->since)
		return slot;
	return beats_frame(walk, slot, best, in_frame) ? slot : 0;
}

/* Restores the caller's frame pointer, if there is one: it is still in its register or among the
 * pushed words. */
static MEMORY_RAW void restore_frame(struct unwind_walk *walk, uint64_t slot)
{
	if (is_frame(walk, walk->fp, slot))
		return;
	for (uint64_t at = slot; at > walk->sp; at -= 8)
		if (is_frame(walk, unwind_range_load(at - 8), slot)) {
			walk->fp = unwind_range_load(at - 8);
			return;
		}
}

/* True if the word at a slot that the code tells is a return address.  An interrupted leaf's word
 * is read wherever it points: no code of its caller may have been met. */
static MEMORY_RAW bool returns_at(struct unwind_walk *walk, uint64_t slot)
{
	bool called = walk->since ? returns_to_call(walk, slot)
				  : callsite_scan_is_called(walk, unwind_range_load(slot));

	return called && leads_on(walk, slot);
}

/* Derives the slot from what the code does up to its end, if the slot holds a return address.  A
 * frame pointer right below the slot belongs to the code itself, whatever it does to restore it. */
static MEMORY_RAW uint64_t slot_by_code(struct unwind_walk *walk, uint64_t *frame)
{
	uint64_t slot = unwind_return_slot(walk, frame);

	if (!slot || !returns_at(walk, slot))
		return 0;
	if (*frame == slot - 8)
		*frame = unwind_range_holds(&walk->range, *frame) ? unwind_range_load(*frame) : 0;
	return slot;
}

static MEMORY_RAW void return_to(struct unwind_walk *walk, uint64_t slot)
{
	walk->other_lost = true;
	walk->sp = slot + 8;
	walk->pc = unwind_range_load(slot) - 1;
	walk->since++;
}

MEMORY_RAW bool callsite_scan_leaf(struct unwind_walk *walk)
{
	uint64_t frame;
	uint64_t slot = walk->since ? 0 : slot_by_code(walk, &frame);

	if (!slot || slot >= walk->fp || !is_pair(walk, frame, slot))
		return false;
	walk->fp = frame;
	return_to(walk, slot);
	return true;
}

/* Finds the slot in a frame of that many words if the function has only begun: the word is behind a
 * call of it, and all instructions since its entry have moved the stack pointer to here. */
static MEMORY_RAW uint64_t slot_by_entry(struct unwind_walk *walk, uint64_t words)
{
	uint64_t pc = walk->since ? walk->pc + 1 : walk->pc;

	for (uint64_t i = 0; i < words; i++) {
		uint64_t slot = walk->sp + i * sizeof(uint64_t);
		uint64_t entry;

		if (!unwind_range_holds(&walk->range, slot))
			break;
		if (!returns_to_call(walk, slot) || !unwind_ask_has_room(walk))
			continue;
		entry = callsite_callee(walk, unwind_range_load(slot), true);
		if (entry > CALLSITE_ROOT && pc - entry < ENTRY_BYTES &&
		    unwind_return_begun(walk, entry, pc, (int64_t)(slot - walk->sp)))
			return slot;
	}
	return 0;
}

static void leave_begun(struct unwind_walk *walk, uint64_t slot)
{
	restore_frame(walk, slot);
	return_to(walk, slot);
}

MEMORY_RAW bool callsite_scan_code(struct unwind_walk *walk)
{
	uint64_t frame;
	uint64_t slot = slot_by_code(walk, &frame);

	if (slot) {
		walk->fp = frame;
		return_to(walk, slot);
		return true;
	}
	slot = slot_by_entry(walk, NEAR_WORDS);
	if (slot)
		leave_begun(walk, slot);
	return slot;
}

MEMORY_RAW enum callsite_scan_verdict callsite_scan_doubted(struct unwind_walk *walk, uint64_t slot)
{
	uint64_t frame;
	uint64_t told = slot_by_code(walk, &frame);

	if (told == slot)
		return CALLSITE_SCAN_AGREES;
	if (!told) {
		told = slot_by_entry(walk, (slot - walk->sp) / sizeof(uint64_t));
		frame = walk->fp;
	}
	if (!told)
		return CALLSITE_SCAN_SILENT;
	walk->guessed_up = true;
	walk->by_frame = false;
	walk->result->guessed = true;
	walk->fp = frame;
	leave_begun(walk, told);
	return CALLSITE_SCAN_LEFT;
}

MEMORY_RAW bool callsite_scan(struct unwind_walk *walk, uint64_t framed)
{
	uint64_t frame;
	uint64_t slot = slot_by_code(walk, &frame);

	if (slot) {
		walk->fp = frame;
	} else {
		slot = find_slot(walk, framed);
		if (!slot)
			return false;
		restore_frame(walk, slot);
	}
	return_to(walk, slot);
	return true;
}
