/*
 * A piece is 64 KB.  Run-time compilers allocate code memory in pieces of at least that size, and
 * keep nothing else there than data that belongs to the code.
 */
#include "runtime/sample/unwind/unwind_code.h"

#include "runtime/sample/rules/rule.h"
#include "runtime/sample/rules/rule_table.h"
#include "runtime/sample/rules/unwind_lock.h"
#include "runtime/sample/unwind/callsite.h"

#define PIECE_MASK 0xffffULL

/* No rule of a frame has such a key.  A call that ends at the first byte of a piece may have the
 * same key, but its rule has another type. */
static uint64_t key_of(uint64_t address)
{
	return callsite_key(address & ~PIECE_MASK);
}

bool unwind_code_is_noted(const struct unwind_walk *walk, uint64_t address)
{
	return rule_type(rule_table_find(key_of(address), walk->generation)) == RULE_CODE;
}

void unwind_code_note(struct unwind_walk *walk, uint64_t address)
{
	if (unwind_code_is_noted(walk, address) || !unwind_lock_try())
		return;
	rule_table_put(key_of(address), walk->generation, rule_make(RULE_CODE, 0, 0, 0));
	unwind_lock_release();
}
