/*
 * Sets of four blocks, replaced in turn.  A block is within one page, so it can be read or not
 * as a whole.  What could not be read is not remembered: it may be readable next time.
 */
#include "runtime/sample/unwind_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/sample/rule_table.h"
#include "runtime/sample/sys.h"
#include "runtime/sample/unwind_range.h"

#define WAYS	    4
#define SETS_LOG    5
#define PAGE_BYTES  4096ULL
#define HIGHEST_BIT 63

_Static_assert(WAYS << SETS_LOG == UNWIND_MEMORY_BLOCKS, "sets of blocks");

/* Of each block its address and generation, made odd; 0: empty.  W, R: the gate's holder. */
static uint64_t keys[UNWIND_MEMORY_BLOCKS];
static uint8_t room[UNWIND_MEMORY_BLOCKS][UNWIND_MEMORY_BLOCK];
static unsigned recent;
static unsigned victim;

static _Atomic bool refused; /* the kernel does not let us.  W, R: any */

void unwind_memory_start(void)
{
	memset(room, 0xff, sizeof(room)); /* not 0: the compiler could leave the pages alone */
	memset(keys, 0, sizeof(keys));
}

/* With a window in which a page can go away, between the probe and the load. */
UNWIND_RAW static bool probe_and_copy(void *to, uint64_t address, size_t bytes)
{
	typedef uint64_t __attribute__((aligned(1), may_alias)) word;
	size_t at = 0;

	for (uint64_t page = address & ~(PAGE_BYTES - 1); page <= address + bytes - 1;
	     page += PAGE_BYTES)
		if (!unwind_range_readable(page))
			return false;
	for (; at + sizeof(word) <= bytes; at += sizeof(word))
		*(word *)((char *)to + at) = *(const volatile word *)(address + at);
	for (; at < bytes; at++)
		((uint8_t *)to)[at] = *(const volatile uint8_t *)(address + at);
	return true;
}

bool unwind_memory_copy(void *to, uint64_t address, size_t bytes)
{
	long copied;

	if (!bytes || address >> HIGHEST_BIT || bytes > PAGE_BYTES)
		return false;
	if (atomic_load_explicit(&refused, memory_order_relaxed))
		return probe_and_copy(to, address, bytes);
	copied = sys_copy_memory(to, address, bytes);
	if (copied >= 0 || copied == -EFAULT)
		return copied == (long)bytes;
	atomic_store_explicit(&refused, true, memory_order_relaxed);
	return probe_and_copy(to, address, bytes);
}

/* The block that begins at `address`, or NULL. */
static const uint8_t *block_at(uint64_t address)
{
	uint64_t key = rule_table_key(address, rule_table_generation()) | 1;
	uint64_t set = address * 0x9e3779b97f4a7c15ULL >> (64 - SETS_LOG);
	unsigned block = (unsigned)set * WAYS;

	if (keys[recent] == key)
		return room[recent];
	for (unsigned way = 0; way < WAYS; way++)
		if (keys[block + way] == key) {
			recent = block + way;
			return room[recent];
		}
	block += victim++ % WAYS;
	keys[block] = 0;
	if (!unwind_memory_copy(room[block], address, UNWIND_MEMORY_BLOCK))
		return NULL;
	keys[block] = key;
	recent = block;
	return room[block];
}

bool unwind_memory_read(void *to, uint64_t address, size_t bytes)
{
	uint64_t offset = address % UNWIND_MEMORY_BLOCK;
	size_t first = bytes < UNWIND_MEMORY_BLOCK - offset ? bytes : UNWIND_MEMORY_BLOCK - offset;
	const uint8_t *block = block_at(address - offset);

	if (!block)
		return false;
	memcpy(to, block + offset, first);
	if (first == bytes)
		return true;
	block = block_at(address - offset + UNWIND_MEMORY_BLOCK);
	if (block)
		memcpy((uint8_t *)to + first, block, bytes - first);
	return block;
}
