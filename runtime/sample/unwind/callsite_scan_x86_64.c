/*
 * Callers from the stack, x86-64.  The return address is above what the function has pushed and
 * made room for.  Those words may be addresses that follow calls too, left over from what returned.
 * But the call that went here went to the function that the code is in, and no function begins
 * between its start and the code: of all calls that say where they go, it is the one that went
 * nearest below.  Else one that does not say it, and the nearest to the stack pointer.  Where the
 * frame pointer is one, nothing above its frame is looked at, and what is below must be better
 * than what it says, or right at the stack pointer.  A leaf that has done no more than push
 * registers has no such words at all: there, the first call is it.
 */
#include "runtime/sample/unwind/callsite_scan.h"

#include "runtime/sample/rules/rule.h"
#include "runtime/sample/rules/unwind_library.h"
#include "runtime/sample/rules/unwind_module.h"
#include "runtime/sample/unwind/unwind_ask.h"
#include "runtime/sample/unwind/unwind_code.h"
#include "runtime/sample/unwind/unwind_return_x86_64.h"

#define FAR_WORDS    64
#define NEAR_WORDS   16
#define PUSHED_WORDS 6 /* rbx, rbp, r12 to r15: above them is no room of a leaf's own */

/* Pointers to data are not worth reading what they point at. */
static bool may_be_code(const struct unwind_walk *walk, uint64_t address)
{
	return unwind_module_has(address) || unwind_code_is_noted(walk, address);
}

/* Where sp is not known to be above it, the word may be the one that led here. */
static MEMORY_RAW uint32_t distance_at(struct unwind_walk *walk, uint64_t at)
{
	uint64_t returns = unwind_range_load(at);

	if (walk->by_frame && returns == walk->pc + 1)
		return CALLSITE_SCAN_NONE;
	return may_be_code(walk, returns - 1) ? callsite_scan_distance(walk, returns)
					      : CALLSITE_SCAN_NONE;
}

/* True if there is, above the slot, a pair of a frame pointer and a return address. */
static MEMORY_RAW bool is_frame(const struct unwind_walk *walk, uint64_t frame, uint64_t slot)
{
	return frame > slot && unwind_range_holds(&walk->range, frame) &&
	       unwind_range_holds(&walk->range, frame + 8) &&
	       may_be_code(walk, unwind_range_load(frame + 8) - 1);
}

/* True if the caller that the word at `slot` tells has a caller of its own, where its rule has its
 * return address.  What is left over from calls that returned seldom leads on. */
static MEMORY_RAW bool leads_on(struct unwind_walk *walk, uint64_t slot)
{
	uint64_t rule = unwind_ask_peek(walk, unwind_range_load(slot) - 1);
	uint64_t at = slot + (uint64_t)rule_offset(rule);

	if (rule_type(rule) != (int)RULE_BASE + UNW_X86_64_RSP)
		return true; /* that it does not is not to be seen */
	return unwind_range_holds(&walk->range, at) &&
	       may_be_code(walk, unwind_range_load(at) - 1) &&
	       callsite_scan_distance(walk, unwind_range_load(at)) != CALLSITE_SCAN_NONE;
}

/* Whether the word at `slot` is believed rather than the frame pointer's.  When both are calls of
 * one function, one is left over from an earlier call: the frame pointer's, if it is a pointer to
 * data that such a word is beside, and the other's caller is the one that has a caller. */
static MEMORY_RAW bool beats_frame(struct unwind_walk *walk, uint64_t slot, uint32_t best,
				   uint32_t in_frame)
{
	if (best == in_frame && best < CALLSITE_SCAN_UNKNOWN)
		return leads_on(walk, slot) && !leads_on(walk, walk->fp + 8);
	return best < in_frame;
}

/* Where a call without a destination in it may be looked for.  What a run-time compiler made is
 * called by no other kind. */
static bool is_near(struct unwind_walk *walk, unsigned word)
{
	return word < NEAR_WORDS || !unwind_module_has(walk->pc);
}

/* The slot of the return address; 0: none, or none better than the frame pointer's, which is
 * `framed`, or 0. */
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

/* The caller's frame pointer, if it has one: still in its register, or among what was pushed. */
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

/* By what the code does up to its end, if that leads to a return address. */
static MEMORY_RAW uint64_t slot_by_code(struct unwind_walk *walk, uint64_t *frame)
{
	uint64_t slot = unwind_return_slot(walk, frame);

	if (!slot || distance_at(walk, slot) == CALLSITE_SCAN_NONE || !leads_on(walk, slot))
		return 0;
	return slot;
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
	walk->other_lost = true;
	walk->sp = slot + 8;
	walk->pc = unwind_range_load(slot) - 1;
	walk->since++;
	return true;
}
