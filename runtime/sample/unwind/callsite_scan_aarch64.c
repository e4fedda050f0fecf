/*
 * Callers from the link register, aarch64.  A leaf has its return address there, and the frame
 * pointer is its caller's; after a call of its own there is an address of itself in it.
 */
#include "runtime/sample/unwind/callsite_scan.h"

#include "runtime/sample/rules/unwind_abi.h"

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
