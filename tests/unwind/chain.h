/*
 * Call chains with known frames: functions of many frame shapes call one another in an order that
 * a seed gives, and each notes its return address.
 */
#ifndef TESTS_UNWIND_CHAIN_H
#define TESTS_UNWIND_CHAIN_H

#include "tests/unwind/walks.h"

#define CHAIN_MAX 1200

struct chain {
	uint64_t target[CHAIN_MAX]; /* return addresses, outermost first */
	unsigned depth;
	unsigned left; /* frames still to be made */
	uint32_t seed;
	void (*leaf)(struct chain *chain);
	void *argument; /* the leaf's own */
};

enum chain_verdict {
	CHAIN_RIGHT, /* every frame of the chain, and the walk reached the outermost frame */
	CHAIN_CUT,   /* right as far as it goes, and marked as cut or guessed */
	CHAIN_WRONG,
};

/* Call `depth` functions deep, then chain->leaf(chain). */
void chain_run(struct chain *chain, unsigned depth, uint32_t seed);

/* A walk from the caller of this macro, as if it had been interrupted here. */
#define chain_walk(stack, pcs, max, result)                           \
	do {                                                          \
		ucontext_t chain_context;                             \
		CONTEXT_HERE(&chain_context);                         \
		unwind_walk(&chain_context, stack, pcs, max, result); \
	} while (0)

/* Compare a walk's frames with the chain. */
enum chain_verdict chain_check(const struct chain *chain, const uint64_t *pcs,
			       const struct unwind_result *result);

/* Index of the frame after the chain's outermost one in pcs; 0: the chain is not whole there. */
unsigned chain_find(const struct chain *chain, const uint64_t *pcs, unsigned depth);

#endif
