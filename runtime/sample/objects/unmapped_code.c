/* Blocks are only added, up to a fixed number. */
#include "runtime/sample/objects/module.h"

#include <stdatomic.h>

#define BLOCKS_MAX  64
#define BLOCK_SHIFT 21 /* 2 MB */
#define ASKED	    1ULL

/* (number + 1) << 1 of each block that a sample met, with ASKED; 0: end.  W: handlers, by
 * compare-and-swap; ASKED: the thread that asks.  R: any */
static _Atomic uint64_t met[BLOCKS_MAX];

void unmapped_code_start(void)
{
	for (unsigned i = 0; i < BLOCKS_MAX && atomic_load_explicit(&met[i], memory_order_relaxed);
	     i++)
		atomic_store_explicit(&met[i], 0, memory_order_relaxed);
}

void unmapped_code_add(uint64_t pc)
{
	const uint64_t block = ((pc >> BLOCK_SHIFT) + 1) << 1;

	for (unsigned i = 0; i < BLOCKS_MAX; i++) {
		uint64_t there = atomic_load_explicit(&met[i], memory_order_relaxed);

		if (!there && atomic_compare_exchange_strong_explicit(&met[i], &there, block,
								      memory_order_relaxed,
								      memory_order_relaxed))
			return;
		if ((there & ~ASKED) == block)
			return;
	}
}

bool unmapped_code_is_near(uint64_t start, uint64_t end)
{
	for (unsigned i = 0; i < BLOCKS_MAX; i++) {
		uint64_t there = atomic_load_explicit(&met[i], memory_order_relaxed);
		uint64_t from = ((there >> 1) - 1) << BLOCK_SHIFT;

		if (!there)
			return false;
		if (!(there & ASKED) && from < end && from + (1ULL << BLOCK_SHIFT) > start)
			return true;
	}
	return false;
}

void unmapped_code_ask(void)
{
	for (unsigned i = 0; i < BLOCKS_MAX; i++)
		if (atomic_load_explicit(&met[i], memory_order_relaxed))
			atomic_fetch_or_explicit(&met[i], ASKED, memory_order_relaxed);
}

bool unmapped_code_is_any(void)
{
	return atomic_load_explicit(&met[0], memory_order_relaxed);
}
