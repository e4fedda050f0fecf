/*
 * A jump into the middle of what the call frame information describes as another function is a jump
 * to a part of the same function.  Bytes that only look like a jump lead anywhere, but hardly twice
 * to the same function: several jumps must lead there, and as many back.
 *
 * The function that collects garbage has no symbol, but PyGC_Collect() calls it, itself or by
 * another function.  It is known for certain by a text that it may write (gc.DEBUG_STATS), which
 * only its code refers to, or the part of it that lies elsewhere.
 */
#include "runtime/sample/interp/cpython/cpython.h"

#include <stddef.h>
#include <string.h>

#include "runtime/sample/cfi/unwind_lock.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/sys/poison.h"

#define PARTS_MAX   32
#define JUMPS_LEAST 4
#define CODE_BYTES  (1u << 20)
#define BLOCK_BYTES 512

struct part {
	struct interp_range range;
	unsigned jumps;
};

void cpython_jump_each(const struct cpython *python, struct interp_range range,
		       bool (*decode)(const uint8_t *code, uint64_t address, uint64_t *target),
		       void (*each)(uint64_t target, void *context), void *context)
{
	unsigned step = cpython_jump_step();
	uint8_t code[BLOCK_BYTES + CPYTHON_JUMP_BYTES];

	for (uint64_t at = range.start; at < range.end; at += BLOCK_BYTES) {
		uint64_t left = range.end - at < BLOCK_BYTES ? range.end - at : BLOCK_BYTES;

		if (!memory_copy(code, at, left + CPYTHON_JUMP_BYTES))
			return;
		for (unsigned i = 0; i < left; i += step) {
			uint64_t target;

			if (decode(code + i, at + i, &target) &&
			    target - range.start >= range.end - range.start &&
			    target - python->start < python->end - python->start)
				each(target, context);
		}
	}
}

struct search {
	struct unwind_module *module;
	unsigned count;
	struct part part[PARTS_MAX];
};

static void part_count(uint64_t target, void *context)
{
	struct search *search = context;
	struct unwind_entry entry;

	for (unsigned i = 0; i < search->count; i++) {
		struct part *part = &search->part[i];

		if (interp_is_in(part->range, target)) {
			part->jumps++;
			return;
		}
	}
	if (search->count == PARTS_MAX || !unwind_module_entry(search->module, target, &entry) ||
	    target == entry.start)
		return;
	if (target < entry.next)
		search->part[search->count++] = (struct part){ { entry.start, entry.next }, 1 };
}

struct back {
	struct interp_range eval;
	unsigned jumps;
};

static void back_count(uint64_t target, void *context)
{
	struct back *back = context;

	back->jumps += interp_is_in(back->eval, target);
}

static struct interp_range search_largest(const struct cpython *python, const struct search *search)
{
	struct interp_range cold = { 0 };
	unsigned most = 0;

	for (unsigned i = 0; i < search->count; i++) {
		const struct part *part = &search->part[i];
		struct back back = { .eval = python->eval };

		if (part->jumps < JUMPS_LEAST || part->jumps <= most ||
		    part->range.end - part->range.start > CODE_BYTES)
			continue;
		cpython_jump_each(python, part->range, cpython_jump_decode, back_count, &back);
		if (back.jumps < JUMPS_LEAST)
			continue;
		most = part->jumps;
		cold = part->range;
	}
	return cold;
}

bool cpython_cold_find(const struct cpython *python, struct interp_range *cold)
{
	static struct search search; /* W, R: who holds unwind_lock */

	*cold = (struct interp_range){ 0 };
	if (python->eval.end - python->eval.start > CODE_BYTES)
		return true;
	if (!unwind_lock_try())
		return false;
	search = (struct search){ .module = unwind_module_find(python->eval.start) };
	if (search.module && search.module->header) {
		cpython_jump_each(python, python->eval, cpython_jump_decode, part_count, &search);
		*cold = search_largest(python, &search);
	}
	unwind_lock_release();
	return true;
}

#define COLLECTOR_TEXT "gc: collecting generation"
#define RANGES_MAX     32
#define FUNCTION_BYTES (1u << 16)

/* Functions, or parts of one. */
struct ranges {
	struct unwind_module *module;
	unsigned count;
	struct interp_range range[RANGES_MAX];
};

/* Add what begins with `start`, or what an address within it belongs to. */
static void range_add(struct ranges *ranges, uint64_t target, bool begins)
{
	struct unwind_entry entry;

	if (ranges->count == RANGES_MAX || !unwind_module_entry(ranges->module, target, &entry) ||
	    (entry.start == target) != begins || target >= entry.next ||
	    entry.next - entry.start > FUNCTION_BYTES)
		return;
	for (unsigned i = 0; i < ranges->count; i++)
		if (ranges->range[i].start == entry.start)
			return;
	ranges->range[ranges->count++] = (struct interp_range){ entry.start, entry.next };
}

static void add_callee(uint64_t target, void *ranges)
{
	range_add(ranges, target, true);
}

static void add_part(uint64_t target, void *ranges)
{
	range_add(ranges, target, false);
}

static void text_find(uint64_t target, void *found)
{
	char text[sizeof(COLLECTOR_TEXT) - 1];

	if (memory_copy(text, target, sizeof(text)) && !memcmp(text, COLLECTOR_TEXT, sizeof(text)))
		*(bool *)found = true;
}

/* True if this function, or a part of it, refers to the text. */
static bool is_collector(const struct cpython *python, struct unwind_module *module,
			 struct interp_range function)
{
	static struct ranges parts; /* W, R: who holds unwind_lock */
	bool found = false;

	parts.module = module;
	parts.range[0] = function;
	parts.count = 1;
	cpython_jump_each(python, function, cpython_jump_decode, add_part, &parts);
	for (unsigned i = 0; i < parts.count && !found; i++)
		cpython_jump_each(python, parts.range[i], cpython_jump_decode_data, text_find,
				  &found);
	return found;
}

/* Returns the collector among PyGC_Collect()'s callees and theirs. */
static struct interp_range collector_search(const struct cpython *python,
					    struct unwind_module *module)
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
	return (struct interp_range){ 0 };
}

bool cpython_collector_find(const struct cpython *python, struct interp_range *collector)
{
	struct unwind_module *module;

	*collector = (struct interp_range){ 0 };
	if (python->collect.end - python->collect.start > FUNCTION_BYTES)
		return true;
	if (!unwind_lock_try())
		return false;
	module = unwind_module_find(python->eval.start);
	if (module && module->header)
		*collector = collector_search(python, module);
	unwind_lock_release();
	return true;
}
