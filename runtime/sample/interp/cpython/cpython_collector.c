/*
 * The function that collects garbage has no symbol, but PyGC_Collect() calls it, itself or by
 * another function.  It is known for certain by a text that it may write (gc.DEBUG_STATS), which
 * only its code refers to, or the part of it that lies elsewhere.
 */
#include <stddef.h>
#include <string.h>

#include "runtime/sample/interp/cpython/cpython_cold.h"
#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/sys/poison.h"

#define TEXT	       "gc: collecting generation"
#define RANGES_MAX     32
#define FUNCTION_BYTES (1u << 16)

/* Functions, or parts of one. */
struct ranges {
	struct unwind_module *module;
	unsigned count;
	struct cpython_range range[RANGES_MAX];
};

/* Add what begins with `start`, or what an address within it belongs to. */
static void add(struct ranges *ranges, uint64_t target, bool begins)
{
	struct unwind_entry entry;

	if (ranges->count == RANGES_MAX || !unwind_module_entry(ranges->module, target, &entry) ||
	    (entry.start == target) != begins || target >= entry.next ||
	    entry.next - entry.start > FUNCTION_BYTES)
		return;
	for (unsigned i = 0; i < ranges->count; i++)
		if (ranges->range[i].start == entry.start)
			return;
	ranges->range[ranges->count++] = (struct cpython_range){ entry.start, entry.next };
}

static void add_callee(uint64_t target, void *ranges)
{
	add(ranges, target, true);
}

static void add_part(uint64_t target, void *ranges)
{
	add(ranges, target, false);
}

static void find_text(uint64_t target, void *found)
{
	char text[sizeof(TEXT) - 1];

	if (memory_copy(text, target, sizeof(text)) && !memcmp(text, TEXT, sizeof(text)))
		*(bool *)found = true;
}

/* True if this function, or a part of it, refers to the text. */
static bool is_collector(const struct cpython *python, struct unwind_module *module,
			 struct cpython_range function)
{
	static struct ranges parts; /* W, R: who holds unwind_lock */
	bool found = false;

	parts.module = module;
	parts.range[0] = function;
	parts.count = 1;
	cpython_jump_each(python, function, cpython_jump_decode, add_part, &parts);
	for (unsigned i = 0; i < parts.count && !found; i++)
		cpython_jump_each(python, parts.range[i], cpython_jump_decode_data, find_text,
				  &found);
	return found;
}

/* Returns the collector among PyGC_Collect()'s callees and theirs. */
static struct cpython_range search(const struct cpython *python, struct unwind_module *module)
{
	static struct ranges callees; /* W, R: who holds unwind_lock */
	unsigned own;

	callees.module = module;
	callees.count = 0;
	cpython_jump_each(python, python->collect, cpython_jump_decode_call, add_callee, &callees);
	own = callees.count;
	for (unsigned i = 0; i < callees.count; i++) {
		if (is_collector(python, module, callees.range[i]))
			return callees.range[i];
		if (i + 1 != own)
			continue;
		for (unsigned from = 0; from < own; from++)
			cpython_jump_each(python, callees.range[from], cpython_jump_decode_call,
					  add_callee, &callees);
	}
	return (struct cpython_range){ 0 };
}

bool cpython_collector_find(const struct cpython *python, struct cpython_range *collector)
{
	struct unwind_module *module;

	*collector = (struct cpython_range){ 0 };
	if (python->collect.end - python->collect.start > FUNCTION_BYTES)
		return true;
	if (!unwind_lock_try())
		return false;
	module = unwind_module_find(python->eval.start);
	if (module && module->header)
		*collector = search(python, module);
	unwind_lock_release();
	return true;
}
