/* A walk whose leaf is at any address: the registers of the caller, with another program
 * counter. */
#ifndef TESTS_UNWIND_LEAF_H
#define TESTS_UNWIND_LEAF_H

#include "arch.h"
#include "tests/unwind/walks.h"

#define LEAF_FRAMES 64

static inline struct unwind_result leaf_walk(const struct unwind_stack *stack, uint64_t pc)
{
	struct unwind_result result;
	uint64_t pcs[LEAF_FRAMES];
	ucontext_t context;

	CONTEXT_HERE(&context);
	machine_registers(&context)[MACHINE_PC] = pc;
	unwind_walk(&context, stack, pcs, LEAF_FRAMES, &result);
	return result;
}

/* It has the leaf, and no more frames than there is room for. */
static inline bool leaf_walks(const struct unwind_stack *stack, uint64_t pc)
{
	struct unwind_result result = leaf_walk(stack, pc);

	return result.depth >= 1 && result.depth <= LEAF_FRAMES;
}

#endif
