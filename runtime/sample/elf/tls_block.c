/*
 * A thread has a table of blocks, whose entries are two words: the block, and what to free with it.
 * Two words before the table is the number of its entries.  The thread may be replacing its table
 * at this moment, so all of it is read by memory_copy().
 */
#include "runtime/sample/elf/tls_block.h"

#include <stddef.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/memory.h"

#include "runtime/sample/sys/poison.h"

#define ENTRY_BYTES  16
#define UNALLOCATED  UINT64_MAX
#define MODULES_MAX  4096
#define DISTANCE_MAX (1 << 24)
#define FIELD_WORDS  3 /* of a description: bits, number, offset in bytes */

static uint32_t module_at, offset_at; /* in struct link_map.  W: init */

static bool find(const char *name, uint32_t *at)
{
	const uint32_t *field = loader_libc_symbol(name);

	if (!field || field[0] != 64)
		return false;
	*at = field[FIELD_WORDS - 1];
	return true;
}

bool tls_block_start(void)
{
	return find("_thread_db_link_map_l_tls_modid", &module_at) &&
	       find("_thread_db_link_map_l_tls_offset", &offset_at);
}

bool tls_block_of(uint64_t link_map, struct tls_block *block)
{
	uint64_t offset;

	if (!memory_copy(&block->module, link_map + module_at, sizeof(block->module)) ||
	    !memory_copy(&offset, link_map + offset_at, sizeof(offset)))
		return false;
	block->is_static = tls_block_distance(offset, &block->offset) &&
			   block->offset > -DISTANCE_MAX && block->offset < DISTANCE_MAX;
	return block->module <= MODULES_MAX;
}

bool tls_block_address(const struct tls_block *block, uint64_t *address)
{
	uint64_t pointer = (uint64_t)__builtin_thread_pointer();
	uint64_t table, count;

	if (block->is_static) {
		*address = pointer + (uint64_t)block->offset;
		return true;
	}
	return memory_copy(&table, pointer + tls_block_table() * sizeof(table), sizeof(table)) &&
	       memory_copy(&count, table - ENTRY_BYTES, sizeof(count)) && block->module <= count &&
	       memory_copy(address, table + block->module * ENTRY_BYTES, sizeof(*address)) &&
	       *address && *address != UNALLOCATED;
}
