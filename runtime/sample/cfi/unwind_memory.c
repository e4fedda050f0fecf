/*
 * Sets of four blocks.  A block lies within one page, so it is readable as a whole or not at all.
 * A failed read is not remembered: the block may be readable next time.
 */
#include "runtime/sample/cfi/unwind_module.h"

#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/cfi/rule_table.h"

#define WAYS	 4
#define SETS_LOG 5

_Static_assert(WAYS << SETS_LOG == UNWIND_MEMORY_BLOCKS, "sets of blocks");

/* For each block: its address and generation, made odd (0: empty); the number of blocks read before
 * it; and the time of its last use.  So the blocks of a table, which each search needs, outlast
 * others.  W, R: the holder of unwind_lock. */
static uint64_t keys[UNWIND_MEMORY_BLOCKS];
static uint64_t stamps[UNWIND_MEMORY_BLOCKS];
static uint64_t used[UNWIND_MEMORY_BLOCKS];
static uint8_t room[UNWIND_MEMORY_BLOCKS][UNWIND_MEMORY_BLOCK];
static uint64_t fills;
static unsigned recent;
static uint64_t uses;

void unwind_memory_populate(void)
{
	memset(room, 0xff, sizeof(room)); /* not 0: the compiler could leave the pages alone */
}

static unsigned set_of(uint64_t address)
{
	return (unsigned)(address * 0x9e3779b97f4a7c15ULL >> (64 - SETS_LOG)) * WAYS;
}

static uint64_t key_of(uint64_t address)
{
	return rule_table_key(address, rule_table_generation()) | 1;
}

/* Returns the index of the block with that key, which begins at `address`, or
 * UNWIND_MEMORY_BLOCKS. */
static unsigned kept(uint64_t address, uint64_t key)
{
	unsigned block;

	if (keys[recent] == key)
		return recent;
	block = set_of(address);
	for (unsigned way = 0; way < WAYS; way++)
		if (keys[block + way] == key) {
			used[block + way] = ++uses;
			return recent = block + way;
		}
	return UNWIND_MEMORY_BLOCKS;
}

/* Returns the least recently used of the four. */
static unsigned victim_of(unsigned block)
{
	unsigned victim = block;

	for (unsigned way = 1; way < WAYS; way++)
		if (used[block + way] < used[victim])
			victim = block + way;
	return victim;
}

const uint8_t *unwind_memory_block(uint64_t address)
{
	uint64_t start = address - address % UNWIND_MEMORY_BLOCK;
	uint64_t key = key_of(start); /* key first: a concurrent forget must invalidate this too */
	unsigned block = kept(start, key);

	if (block < UNWIND_MEMORY_BLOCKS)
		return room[block];
	block = victim_of(set_of(start));
	keys[block] = 0;
	if (!memory_copy(room[block], start, UNWIND_MEMORY_BLOCK))
		return NULL;
	keys[block] = key;
	stamps[block] = ++fills;
	used[block] = ++uses;
	recent = block;
	return room[block];
}

/* Copies word by word: most reads are one word. */
static void copy_short(uint8_t *to, const uint8_t *from, size_t bytes)
{
	for (; bytes >= sizeof(uint64_t); bytes -= sizeof(uint64_t)) {
		memcpy(to, from, sizeof(uint64_t));
		to += sizeof(uint64_t);
		from += sizeof(uint64_t);
	}
	for (size_t i = 0; i < bytes; i++)
		to[i] = from[i];
}

bool unwind_memory_read(void *to, uint64_t address, size_t bytes)
{
	uint64_t offset = address % UNWIND_MEMORY_BLOCK;
	size_t first = bytes < UNWIND_MEMORY_BLOCK - offset ? bytes : UNWIND_MEMORY_BLOCK - offset;
	const uint8_t *block = unwind_memory_block(address);

	if (!block)
		return false;
	copy_short(to, block + offset, first);
	if (first == bytes)
		return true;
	block = unwind_memory_block(address + first);
	if (block)
		copy_short((uint8_t *)to + first, block, bytes - first);
	return block;
}

uint64_t unwind_memory_stamp(uint64_t address, size_t bytes)
{
	uint64_t start = address - address % UNWIND_MEMORY_BLOCK;
	uint64_t stamp = 0;

	for (; start < address + bytes; start += UNWIND_MEMORY_BLOCK) {
		unsigned block = kept(start, key_of(start));

		if (block == UNWIND_MEMORY_BLOCKS)
			return 0;
		stamp = stamp * 0x9e3779b97f4a7c15ULL + stamps[block];
	}
	return stamp;
}
