/*
 * Sets of four blocks.  A block is within one page, so it can be read or not
 * as a whole.  What could not be read is not remembered: it may be readable next time.
 */
#include "runtime/sample/unwind_memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>

#include "runtime/sample/rule_table.h"
#include "runtime/sample/sys.h"
#include "runtime/sample/unwind_range.h"

#define WAYS	    4
#define SETS_LOG    5
#define PAGE_BYTES  4096ULL
#define HIGHEST_BIT 63

_Static_assert(WAYS << SETS_LOG == UNWIND_MEMORY_BLOCKS, "sets of blocks");

/* Of each block its address and generation, made odd, 0: empty; how many were read before it; and
 * when it was last of use, so that those of a table, which each search needs, outlast others.
 * W, R: the gate's holder. */
static uint64_t keys[UNWIND_MEMORY_BLOCKS];
static uint64_t stamps[UNWIND_MEMORY_BLOCKS];
static uint64_t used[UNWIND_MEMORY_BLOCKS];
static uint8_t room[UNWIND_MEMORY_BLOCKS][UNWIND_MEMORY_BLOCK];
static uint64_t fills;
static unsigned recent;
static uint64_t uses;

static _Atomic bool refused; /* the kernel does not let us.  W, R: any */
static _Atomic pid_t *own;   /* in a page that a forked child finds empty.  W, R: any */

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

/* Our number, until a fork wipes it; then, and on kernels that cannot wipe, it is asked for. */
static pid_t own_number(void)
{
	pid_t number = own ? atomic_load_explicit(own, memory_order_relaxed) : 0;

	if (number)
		return number;
	number = sys_getpid();
	if (own)
		atomic_store_explicit(own, number, memory_order_relaxed);
	return number;
}

static void prepare_own(void)
{
	void *page;

	if (own ||
	    sys_mmap(&page, PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1))
		return;
	if (sys_madvise(page, PAGE_BYTES, MADV_WIPEONFORK))
		sys_munmap(page, PAGE_BYTES);
	else
		own = page;
}

void unwind_memory_populate(void)
{
	memset(room, 0xff, sizeof(room)); /* not 0: the compiler could leave the pages alone */
}

void unwind_memory_start(void)
{
	memset(keys, 0, sizeof(keys));
	memset(stamps, 0, sizeof(stamps));
	memset(used, 0, sizeof(used));
	prepare_own();
	own_number();
}

/* The first thread's number is nobody's once it has ended before the others. */
static long copy_checked(void *to, uint64_t address, size_t bytes)
{
	long copied = sys_copy_memory(own_number(), to, address, bytes);

	return copied == -ESRCH ? sys_copy_memory(sys_gettid(), to, address, bytes) : copied;
}

bool unwind_memory_copy(void *to, uint64_t address, size_t bytes)
{
	long copied;

	if (!bytes || address >> HIGHEST_BIT || bytes > PAGE_BYTES)
		return false;
	if (atomic_load_explicit(&refused, memory_order_relaxed))
		return probe_and_copy(to, address, bytes);
	copied = copy_checked(to, address, bytes);
	if (copied >= 0 || copied == -EFAULT)
		return copied == (long)bytes;
	atomic_store_explicit(&refused, true, memory_order_relaxed);
	return probe_and_copy(to, address, bytes);
}

static unsigned set_of(uint64_t address)
{
	return (unsigned)(address * 0x9e3779b97f4a7c15ULL >> (64 - SETS_LOG)) * WAYS;
}

static uint64_t key_of(uint64_t address)
{
	return rule_table_key(address, rule_table_generation()) | 1;
}

/* The index of the block of that key, which begins at `address`, or UNWIND_MEMORY_BLOCKS. */
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

/* Of the four, what has not been of use for longest. */
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
	uint64_t key =
		key_of(start); /* before it is read: what is forgotten meanwhile, is this too */
	unsigned block = kept(start, key);

	if (block < UNWIND_MEMORY_BLOCKS)
		return room[block];
	block = victim_of(set_of(start));
	keys[block] = 0;
	if (!unwind_memory_copy(room[block], start, UNWIND_MEMORY_BLOCK))
		return NULL;
	keys[block] = key;
	stamps[block] = ++fills;
	used[block] = ++uses;
	recent = block;
	return room[block];
}

/* By words: what is read is mostly one. */
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
