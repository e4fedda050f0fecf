/*
 * An entry is a return address and the slot it was pushed to; it is made when a call instruction
 * moved the stack pointer down by one word, and dropped when the stack pointer has risen above the
 * slot, by whatever means.  There is one exception: a function that pops its return address, to a
 * register or to memory, has not returned until it goes there.
 */

#include "tests/unwind/oracle.h"

#include <stdlib.h>

#include "runtime/sample/unwind/unwind_state.h"

struct entry {
	uint64_t target;
	uint64_t slot;
	uint64_t callee;
	uint64_t addresses; /* seen before the call */
	bool popped;	    /* a pop has taken the return address from its slot */
};

/* The first one is the thread's own. */
static struct shadow {
	uint64_t low, high;
	uint64_t first; /* the function that runs on it first */
	bool begun;	/* … has been called */
	unsigned depth;
	struct entry entry[ORACLE_SHADOW_MAX];
} shadows[1 + ORACLE_STACKS_MAX];

static unsigned stacks;
static struct shadow *now = &shadows[0];

/* The last instruction. */
static uint64_t last_sp;
static uint64_t last_pc;
static bool last_is_call;
static bool last_is_pop;
static bool last_is_jump; /* through a register or a pointer */

static bool is_call(const uint8_t *code)
{
	while (*code == 0x66 || *code == 0xf2 || *code == 0xf3 || *code == 0x3e || *code == 0x2e ||
	       (*code & 0xf0) == 0x40)
		code++;
	return *code == 0xe8 || (*code == 0xff && ((code[1] >> 3 & 7) == 2));
}

static bool is_pop(const uint8_t *code)
{
	while (*code == 0x66 || (*code & 0xf0) == 0x40)
		code++;
	return (*code & 0xf8) == 0x58 || (*code == 0x8f && !(code[1] >> 3 & 7));
}

static bool is_jump(const uint8_t *code)
{
	while (*code == 0xf2 || *code == 0x3e || (*code & 0xf0) == 0x40)
		code++;
	return *code == 0xff && (code[1] >> 3 & 7) == 4;
}

void oracle_stack(void *low, size_t bytes, void (*first)(void))
{
	struct shadow *shadow = &shadows[1];

	while (shadow <= &shadows[stacks] && shadow->low != (uint64_t)low)
		shadow++;
	if (shadow > &shadows[stacks] && stacks++ == ORACLE_STACKS_MAX)
		abort();
	shadow->low = (uint64_t)low;
	shadow->high = (uint64_t)low + bytes;
	shadow->first = (uint64_t)first;
	shadow->begun = false;
	shadow->depth = 0;
}

void oracle_shadow_begin(uint64_t low, uint64_t high)
{
	shadows[0].low = low;
	shadows[0].high = high;
	for (unsigned i = 0; i <= stacks; i++) {
		shadows[i].begun = false;
		shadows[i].depth = 0;
	}
	now = &shadows[0];
	last_is_call = last_is_pop = last_is_jump = false;
}

unsigned oracle_shadow_depth(void)
{
	return now->depth;
}

static struct entry *innermost(void)
{
	return &now->entry[now->depth - 1];
}

/* What was called before stepping began: the first walk, each address found on the stack. */
static void begin_first(uint64_t sp, const uint64_t *pcs, const struct unwind_result *result)
{
	uint64_t slot = sp;

	now->depth = result->depth - 1;
	for (unsigned i = 1; i < result->depth; i++, slot += 8) {
		while (*(uint64_t *)slot != pcs[i] + 1)
			slot += 8;
		now->entry[now->depth - i] = (struct entry){ .target = pcs[i] + 1, .slot = slot };
	}
	now->begun = true;
}

/* The first function of a stack may have a return address, to which nobody called it. */
static void begin_other(uint64_t pc, uint64_t sp)
{
	if (pc != now->first)
		return;
	now->begun = true;
	now->depth = *(uint64_t *)sp != 0;
	now->entry[0] = (struct entry){ .target = *(uint64_t *)sp, .slot = sp };
}

/* True if the innermost function has not returned, although the stack pointer is above the slot of
 * its return address.  A jump through a register ends it: an exception's handler is entered so. */
static bool holds_its_return(uint64_t pc, uint64_t sp)
{
	if (innermost()->slot + 8 != sp || innermost()->target == pc || last_is_jump)
		return false;
	innermost()->popped |= last_is_pop;
	return innermost()->popped;
}

static void drop_returned(uint64_t pc, uint64_t sp)
{
	while (now->depth && innermost()->slot < sp && !holds_its_return(pc, sp)) {
		const struct entry *entry = innermost();

		now->depth--;
		if (entry->target == pc && entry->callee)
			oracle_skip_returned(entry->callee,
					     oracle_counts.addresses > entry->addresses);
	}
}

/* True if the callee is to be skipped. */
static bool call(uint64_t pc, uint64_t sp)
{
	if (now->depth && innermost()->slot == sp)
		now->depth--; /* popped, and never meant to be returned to */
	now->entry[now->depth++] = (struct entry){ .target = *(uint64_t *)sp,
						   .slot = sp,
						   .callee = pc,
						   .addresses = oracle_counts.addresses };
	return oracle_skip_enter(pc, *(uint64_t *)sp, sp);
}

static void note_last(uint64_t pc, uint64_t sp)
{
	last_pc = pc;
	last_sp = sp;
	last_is_call = is_call((const uint8_t *)pc);
	last_is_pop = is_pop((const uint8_t *)pc);
	last_is_jump = is_jump((const uint8_t *)pc);
}

/* False: the stack pointer is on none of them. */
static bool choose(uint64_t sp)
{
	unsigned i = stacks;

	while (sp < shadows[i].low || sp > shadows[i].high)
		if (!i--)
			return false;
	if (now != &shadows[i])
		last_is_call = last_is_pop = false;
	now = &shadows[i];
	return true;
}

enum oracle_shadow_step oracle_shadow_follow(uint64_t pc, uint64_t sp, const uint64_t *pcs,
					     const struct unwind_result *result)
{
	bool skip = false;

	if (!choose(sp)) {
		last_is_call = last_is_pop = false;
		return ORACLE_SHADOW_ELSEWHERE;
	}
	if (!now->begun && now == &shadows[0])
		begin_first(sp, pcs, result);
	else if (!now->begun)
		begin_other(pc, sp);
	drop_returned(pc, sp);
	if (last_is_call && sp == last_sp - 8 && *(uint64_t *)sp - last_pc < 16 &&
	    now->depth < ORACLE_SHADOW_MAX)
		skip = call(pc, sp);
	else if (now->depth && innermost()->slot == sp)
		innermost()->popped = false; /* it is back */
	note_last(pc, sp);
	if (!now->begun)
		return ORACLE_SHADOW_UNKNOWN;
	return skip ? ORACLE_SHADOW_SKIP : ORACLE_SHADOW_STEP;
}

bool oracle_shadow_is_right(const uint64_t *pcs, const struct unwind_result *result)
{
	for (unsigned i = 1; i < result->depth; i++)
		if (i > now->depth || pcs[i] != now->entry[now->depth - i].target - 1)
			return false;
	return result->end != UNWIND_LAST || result->depth == now->depth + 1;
}

bool oracle_shadow_is_whole(unsigned depth)
{
	return now != &shadows[0] && depth == now->depth + 1;
}

void oracle_shadow_never_skip(void)
{
	for (unsigned i = 0; i < now->depth; i++)
		if (now->entry[i].callee)
			oracle_skip_never(now->entry[i].callee);
}
