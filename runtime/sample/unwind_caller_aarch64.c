/*
 * Callers from the link register, aarch64.  A leaf has its return address there, and the frame
 * pointer is its caller's; after a call of its own there is an address of itself in it.
 */
#include "runtime/sample/unwind_caller.h"

#include "runtime/sample/unwind_abi.h"

bool unwind_machine_caller(struct unwind_walk *walk, uint64_t framed)
{
	uint64_t returns = unwind_abi_address(walk->other);

	(void)framed;
	if (walk->since || unwind_caller_distance(walk, returns) == UNWIND_CALL_NONE)
		return false;
	walk->sp_lost = true;
	walk->other = 0;
	walk->pc = returns - 1;
	walk->since++;
	return true;
}
