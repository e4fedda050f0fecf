/* The rows are searched first, then libunwind is asked.  Both results go into the table. */
#include "runtime/sample/unwind/unwind_ask.h"

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/cfi/rule.h"
#include "runtime/sample/cfi/rule_ask.h"
#include "runtime/sample/cfi/rule_table.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/cfi/unwind_module.h"

#define ASK_STACK_BYTES 8192 /* a question takes 4 KB, measured */

bool unwind_ask_has_room(const struct unwind_walk *walk)
{
	return unwind_range_headroom(ASK_STACK_BYTES, &walk->signal->uc_stack, walk->stack);
}

bool unwind_ask_may(struct unwind_walk *walk)
{
	if (!unwind_ask_has_room(walk))
		return unwind_finish(walk, UNWIND_BOUNDS);
	if (!unwind_lock_try())
		return unwind_finish(walk, UNWIND_BUSY);
	return true;
}

/* Returns the rule of any address and keeps it in the table.  RULE_MISSING: it cannot be found now.
 * The caller holds unwind_lock. */
static uint64_t ask(struct unwind_walk *walk, uint64_t pc)
{
	struct cfi_row row;
	bool passing = false;
	uint64_t rule = rule_row_find(pc, walk->generation);

	if (!rule) {
		rule = rule_ask(pc, &row, &passing);
		walk->result->misses++;
		if (rule && !passing)
			rule_row_put(pc, walk->generation, &row, rule);
	}
	if (rule && !passing)
		rule_table_put(pc, walk->generation, rule);
	return rule;
}

uint64_t unwind_ask_rule(struct unwind_walk *walk)
{
	uint64_t rule;

	if (!unwind_ask_may(walk))
		return RULE_MISSING;
	rule = ask(walk, walk->pc);
	if (!rule)
		unwind_finish(walk, UNWIND_FAILED);
	unwind_lock_release();
	return rule;
}

void unwind_ask_keep(const struct unwind_walk *walk, uint64_t key, uint64_t rule)
{
	if (!unwind_lock_try())
		return;
	rule_table_put(key, walk->generation, rule);
	unwind_lock_release();
}

uint64_t unwind_ask_peek(struct unwind_walk *walk, uint64_t address)
{
	uint64_t rule = rule_table_find(address, walk->generation);

	if (rule || !unwind_ask_has_room(walk) || !unwind_lock_try())
		return rule;
	rule = ask(walk, address);
	unwind_lock_release();
	return rule;
}

/* Nothing is worth waiting for here: the kernel copies the bytes just as well. */
bool unwind_ask_code(const struct unwind_walk *walk, void *to, uint64_t address, unsigned bytes)
{
	bool read = false;

	if (unwind_module_has(address) && unwind_ask_has_room(walk) && unwind_lock_try_once()) {
		read = unwind_module_code(to, address, bytes);
		unwind_lock_release();
	}
	return read || memory_copy(to, address, bytes);
}
