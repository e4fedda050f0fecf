/*
 * Level n begins at index least * (2^n - 1).  Items that would lie in two levels begin with the
 * second one.
 */
#include "runtime/sample/labels/label_pool.h"

#include <stddef.h>
#include <sys/mman.h>

#include "runtime/sample/sys/sys.h"

#include "runtime/sample/sys/poison.h"

static unsigned level_of(const struct label_pool *pool, uint32_t index)
{
	return 31 - (unsigned)__builtin_clz(index / pool->least + 1);
}

static uint32_t start_of(const struct label_pool *pool, unsigned level)
{
	return pool->least * ((1U << level) - 1);
}

static void *memory_of(const struct label_pool *pool, unsigned level)
{
	return atomic_load_explicit(&pool->level[level], memory_order_acquire);
}

void *label_pool_at(const struct label_pool *pool, uint32_t index)
{
	unsigned level = level_of(pool, index);

	return (char *)memory_of(pool, level) +
	       (size_t)(index - start_of(pool, level)) * pool->item_bytes;
}

uint32_t label_pool_take(struct label_pool *pool, uint32_t count)
{
	uint32_t index = atomic_load_explicit(&pool->used, memory_order_relaxed);
	unsigned level = level_of(pool, index);
	void *memory;

	if (index + count > start_of(pool, level + 1))
		index = start_of(pool, ++level);
	if (level >= LABEL_POOL_LEVELS || count > pool->least << level)
		return LABEL_POOL_NONE;
	if (!memory_of(pool, level)) {
		size_t bytes = (size_t)pool->item_bytes * (pool->least << level);

		if (sys_mmap_apart(&memory, bytes, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1))
			return LABEL_POOL_NONE;
		atomic_store_explicit(&pool->level[level], memory, memory_order_release);
	}
	atomic_store_explicit(&pool->used, index + count, memory_order_release);
	return index;
}
