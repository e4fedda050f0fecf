/*
 * The verdict on a call is kept in the table of rules, with a type that no frame has.  The
 * destination of the call takes the place of the offset and the slots.
 */
#include "runtime/sample/unwind/callsite.h"

#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/unwind_abi.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/unwind/unwind_ask.h"

/* Run-time compilers allocate code memory in pieces of at least 64 KB, and keep nothing else there
 * than data that belongs to the code. */
#define PIECE_MASK 0xffffULL

/* True for the rule of an interpreter's code.  It jumps to the code that it has compiled. */
static bool may_jump_anywhere(uint64_t rule)
{
	return rule_type(rule) == RULE_DOUBTED && rule_offset(rule) > (int64_t)sizeof(uint64_t);
}

/* Returns the destination of the call that ends at `returns` if it can lead to code like this.  A
 * function with unwind information may have jumped here, unless it contains this code.  *sure: the
 * verdict cannot change.  Most walks only want to know whether there is a call. */
static uint64_t find_callee(struct unwind_walk *walk, uint64_t returns, bool destination,
			    bool *sure)
{
	uint64_t start = callsite_callee(walk, returns, destination);
	uint64_t rule;

	*sure = true;
	if (start <= CALLSITE_SOME)
		return start;
	rule = unwind_ask_peek(walk, start);
	*sure = rule != RULE_MISSING;
	if (!*sure)
		return CALLSITE_UNKNOWN;
	if (may_jump_anywhere(rule))
		return CALLSITE_UNKNOWN;
	return rule_type(rule) == RULE_ABSENT ? start : CALLSITE_OTHER;
}

static uint64_t callee(struct unwind_walk *walk, uint64_t returns, bool destination)
{
	uint64_t key = returns | callsite_key_bit;
	uint64_t rule = rule_table_find(key, walk->generation);
	uint64_t start;
	bool sure;

	if (rule_type(rule) == RULE_CALL && !(destination && rule_callee(rule) == CALLSITE_SOME))
		return rule_callee(rule);
	start = find_callee(walk, returns, destination, &sure);
	if (sure)
		unwind_ask_keep(walk, key, rule_make_call(start));
	return start;
}

static bool may_be_code(uint64_t returns)
{
	return returns >= UNWIND_LOWEST_CODE && returns <= UNWIND_HIGHEST_CODE;
}

bool callsite_scan_is_called(struct unwind_walk *walk, uint64_t returns)
{
	return may_be_code(returns) && callee(walk, returns, false) != CALLSITE_NONE;
}

uint32_t callsite_scan_distance(struct unwind_walk *walk, uint64_t returns)
{
	uint64_t start;

	if (!may_be_code(returns))
		return CALLSITE_SCAN_NONE;
	start = callee(walk, returns, true);
	if (start == CALLSITE_NONE)
		return CALLSITE_SCAN_NONE;
	if (start == CALLSITE_UNKNOWN || start == CALLSITE_ROOT)
		return CALLSITE_SCAN_UNKNOWN;
	if (walk->pc - start >= CALLSITE_SCAN_UNKNOWN)
		return CALLSITE_SCAN_OTHER;
	return (uint32_t)(walk->pc - start);
}

bool callsite_scan_is_root(struct unwind_walk *walk)
{
	return walk->since && callee(walk, walk->pc + 1, false) == CALLSITE_ROOT;
}

/* No rule of a frame has such a key.  A call that ends at the first byte of a piece may have the
 * same key, but its rule has another type. */
static uint64_t key_of_piece(uint64_t address)
{
	return (address & ~PIECE_MASK) | callsite_key_bit;
}

bool callsite_scan_is_code(const struct unwind_walk *walk, uint64_t address)
{
	return rule_type(rule_table_find(key_of_piece(address), walk->generation)) == RULE_CODE;
}

void callsite_scan_note_code(struct unwind_walk *walk, uint64_t address)
{
	if (!callsite_scan_is_code(walk, address))
		unwind_ask_keep(walk, key_of_piece(address), rule_make(RULE_CODE, 0, 0, 0));
}
