/*
 * Callers from the link register, aarch64.  A leaf keeps its return address there, and its frame
 * pointer is still its caller's.  After the leaf has made a call of its own, the register holds an
 * address inside the leaf.
 */
#include "runtime/sample/unwind/callsite_scan.h"

#include "runtime/sample/cfi/unwind_abi.h"

bool callsite_scan(struct unwind_walk *walk, uint64_t framed)
{
	uint64_t returns = unwind_abi_address(walk->other);

	(void)framed;
	if (walk->since || callsite_scan_distance(walk, returns) == CALLSITE_SCAN_NONE)
		return false;
	walk->sp_lost = true;
	walk->other = 0;
	walk->pc = returns - 1;
	walk->since++;
	return true;
}

bool callsite_scan_code(struct unwind_walk *walk)
{
	return callsite_scan(walk, 0);
}

bool callsite_scan_leaf(struct unwind_walk *walk)
{
	(void)walk;
	return false;
}
