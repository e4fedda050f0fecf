/*
 * Calls on aarch64: bl with a distance, or blr with a register, with or without pointer
 * authentication.  Callers come from the link register: a leaf keeps its return address there, and
 * its frame pointer is still its caller's.  After the leaf has made a call of its own, the register
 * holds an address inside the leaf.
 */
#include "runtime/sample/unwind/callsite.h"

#include "runtime/sample/cfi/unwind_abi.h"
#include "runtime/sample/unwind/unwind_ask.h"

#define BL_MASK	  0xfc000000U
#define BL	  0x94000000U
#define BLR_MASK  0xfffffc1fU
#define BLR	  0xd63f0000U
#define MOV_X0_X0 0xaa0003e0U /* Go's no-op */
#define BLRA_MASK 0xfefff800U /* with a signature: blraa, blrab, blraaz, blrabz */
#define BLRA	  0xd63f0800U

/* Instructions lie at multiples of four, and calls are looked up one byte below. */
const uint64_t callsite_key_bit = 1;

static bool is_goexit(const struct unwind_walk *walk, uint64_t returns, uint32_t code)
{
	uint32_t next;

	return code == MOV_X0_X0 && unwind_ask_code(walk, &next, returns, sizeof(next)) &&
	       (next & BL_MASK) == BL;
}

uint64_t callsite_callee(const struct unwind_walk *walk, uint64_t returns, bool destination)
{
	uint32_t code;

	if ((returns & 3) || !unwind_ask_code(walk, &code, returns - sizeof(code), sizeof(code)))
		return CALLSITE_NONE;
	if ((code & BL_MASK) == BL && !destination)
		return CALLSITE_SOME;
	if ((code & BL_MASK) == BL) /* 26 bits, signed, of instructions */
		return returns - sizeof(code) + (uint64_t)(int64_t)((int32_t)(code << 6) >> 4);
	if ((code & BLR_MASK) == BLR || (code & BLRA_MASK) == BLRA)
		return CALLSITE_UNKNOWN;
	return is_goexit(walk, returns, code) ? CALLSITE_ROOT : CALLSITE_NONE;
}

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
