/*
 * Chooses one of the two ways to a caller: a call on the stack, or the frame pointer.
 *
 * Frames by the frame pointer, for code without unwind information, in a loaded object or compiled
 * at run time.  The register may hold anything.  The pair that it points at is accepted only if the
 * second word is a return address, in one of these cases:
 *
 * - A call precedes it.  If it lies outside of loaded objects, the first word must also point at
 *   another pair, higher up: all run-time compiled code has such frames.
 * - It lies outside of loaded objects and no call precedes it (HotSpot's interpreter pushes return
 *   addresses without a call), but pairs lead from there to one that meets another of these cases.
 * - It is the trampoline of a signal, or the last word of a stack that was made by hand.
 *
 * A leaf that was compiled at run time may have no frame.  Its code is asked first, since the pair
 * is then its caller's, and leads past that caller.
 *
 * Outside of loaded objects, the verdict "no call precedes this address" may be out of date,
 * because code may have been written there since.  So the code is read again before a walk is cut
 * because of it.
 */
#include "runtime/sample/unwind/unwind_step.h"

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/unwind_abi.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/unwind/callsite.h"
#include "runtime/sample/unwind/unwind_ask.h"

#define CHAIN_MAX 256

static bool is_pair(const struct unwind_walk *walk, uint64_t fp)
{
	return unwind_range_holds(&walk->range, fp) && unwind_range_holds(&walk->range, fp + 8);
}

/* Returns the second word of a pair, its return address.  0: the word is not an address of code. */
static MEMORY_RAW uint64_t pair_target(uint64_t fp)
{
	uint64_t target = unwind_abi_address(unwind_range_load(fp + 8));

	if (target < UNWIND_LOWEST_CODE || target > UNWIND_HIGHEST_CODE)
		return 0;
	return target;
}

static bool returns_to_module(struct unwind_walk *walk, uint64_t target)
{
	unsigned type;

	if (callsite_scan_is_called(walk, target))
		return true;
	type = rule_type(unwind_ask_peek(walk, target - 1));
	return type == RULE_SIGNAL || type == RULE_LAST || type == RULE_FABRICATED;
}

static bool returns_to_compiled(struct unwind_walk *walk, uint64_t target)
{
	return callsite_scan_is_called(walk, target) ||
	       callsite_callee(walk, target, false) != CALLSITE_NONE;
}

/* Returns the frame that the first word of the pair at fp points at.  0: there is none. */
static MEMORY_RAW uint64_t next_of(const struct unwind_walk *walk, uint64_t fp)
{
	uint64_t next = unwind_range_load(fp);

	return next > fp && is_pair(walk, next) ? next : 0;
}

/* Follows pairs from the one at fp, whose return address is in no loaded object, to the first whose
 * return address is known to be right.  0: there is none. */
static uint64_t leads_to(struct unwind_walk *walk, uint64_t fp)
{
	for (unsigned i = 0; i < CHAIN_MAX; i++) {
		uint64_t target;

		fp = next_of(walk, fp);
		target = fp ? pair_target(fp) : 0;
		if (!target)
			return 0;
		if (unwind_module_has(target - 1))
			return returns_to_module(walk, target) ? fp : 0;
		if (returns_to_compiled(walk, target))
			return fp;
	}
	return fp; /* a chain this long is no accident */
}

/* Returns the return address next to the word that walk's frame pointer points at.  0: this is not
 * a frame. */
static uint64_t frame_target(struct unwind_walk *walk)
{
	uint64_t target;

	if (walk->fp < walk->sp || !is_pair(walk, walk->fp))
		return 0;
	target = pair_target(walk->fp);
	if (!target || walk->fp < walk->led_to)
		return target;
	if (unwind_module_has(target - 1))
		return returns_to_module(walk, target) ? target : 0;
	if (!next_of(walk, walk->fp))
		return 0;
	if (returns_to_compiled(walk, target))
		return target;
	walk->led_to = leads_to(walk, walk->fp);
	return walk->led_to ? target : 0;
}

/* True if the call that led to walk's frame is searched for.  If the frame before gave a wrong
 * address, that address is rarely one of code. */
static bool prefers_call(const struct unwind_walk *walk, bool in_module, uint64_t target)
{
	if (in_module)
		return !walk->by_frame || !target;
	return !target && callsite_scan_is_code(walk, walk->pc);
}

MEMORY_RAW bool unwind_guess(struct unwind_walk *walk, bool in_module)
{
	uint64_t target;

	if (unwind_range_is_root(walk->sp) || (in_module && callsite_scan_is_root(walk)))
		return unwind_finish(walk, UNWIND_LAST);
	target = frame_target(walk);
	walk->guessed_up = true;
	if ((!in_module && target && callsite_scan_leaf(walk)) ||
	    (prefers_call(walk, in_module, target) && callsite_scan(walk, target))) {
		walk->by_frame = false;
	} else if (target) {
		walk->by_frame = true;
		walk->other_lost = true;
		walk->sp_lost = !UNWIND_RECORD_TELLS_CFA;
		walk->sp = walk->fp + 16; /* if sp is lost: a lower bound */
		walk->fp = unwind_range_load(walk->fp);
		walk->pc = target - 1;
		walk->since++;
	} else {
		return unwind_finish(walk, UNWIND_NO_RULE);
	}
	return walk->result->guessed = true;
}
