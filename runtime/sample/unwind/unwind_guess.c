/*
 * Chooses one of the two ways to a caller.
 */
#include "runtime/sample/unwind/unwind_guess.h"

#include "runtime/sample/rules/unwind_abi.h"
#include "runtime/sample/unwind/callsite_scan.h"
#include "runtime/sample/unwind/unwind_code.h"
#include "runtime/sample/unwind/unwind_frame.h"

/* True if the call that led to walk's frame is searched for.  If the frame before gave a wrong
 * address, that address is rarely one of code. */
static bool prefers_call(const struct unwind_walk *walk, bool in_module, uint64_t target)
{
	if (in_module)
		return !walk->by_frame || !target;
	return !target && unwind_code_is_noted(walk, walk->pc);
}

MEMORY_RAW bool unwind_guess(struct unwind_walk *walk, bool in_module)
{
	uint64_t target;

	if (unwind_range_is_root(walk->sp) || (in_module && callsite_scan_is_root(walk)))
		return unwind_finish(walk, UNWIND_LAST);
	target = unwind_frame_target(walk);
	walk->guessed_up = true;
	if (prefers_call(walk, in_module, target) && callsite_scan(walk, target)) {
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
