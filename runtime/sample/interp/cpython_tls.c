/*
 * An object that was loaded with the program has its thread-local variables at one distance from
 * every thread's pointer.  For one that was loaded later this does not hold, and glibc's table of
 * blocks says so: such a block can be freed.
 */
#include "runtime/sample/interp/cpython_tls.h"

#include <stddef.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/elf/tls_block.h"
#include "runtime/sample/sys/poison.h"

#define UNALLOCATED  UINT64_MAX
#define MODULES_MAX  4096
#define DISTANCE_MAX (1 << 24)

/* The block of a module of this thread, if it is at a fixed place. */
static bool block_find(uint64_t module, uint64_t *block)
{
	uint64_t pointer = (uint64_t)__builtin_thread_pointer();
	uint64_t table, entry[2];

	if (!module || module > MODULES_MAX ||
	    !memory_copy(&table, pointer + tls_block_table() * sizeof(table), sizeof(table)) ||
	    !memory_copy(entry, table + module * sizeof(entry), sizeof(entry)))
		return false;
	*block = entry[0];
	return entry[0] != UNALLOCATED && !entry[1];
}

bool cpython_tls_offset(const struct cpython_tls *tls, int64_t *offset)
{
	uint64_t word[2] = { 0 }, block;

	if (tls->kind != CPYTHON_TLS_UNKNOWN && tls->kind != CPYTHON_TLS_OFFSET &&
	    !memory_copy(word, tls->address, tls->kind == CPYTHON_TLS_SLOT ? 8 : 16))
		return false;
	switch (tls->kind) {
	case CPYTHON_TLS_UNKNOWN:
		return false;
	case CPYTHON_TLS_OFFSET:
		*offset = tls->offset;
		break;
	case CPYTHON_TLS_SLOT:
		*offset = (int64_t)word[0] + tls->offset;
		break;
	case CPYTHON_TLS_INDEX:
		if (!block_find(word[0], &block))
			return false;
		*offset = (int64_t)(block + word[1] - (uint64_t)__builtin_thread_pointer()) +
			  tls->offset;
		break;
	case CPYTHON_TLS_ARGUMENT:
		*offset = (int64_t)word[1] + tls->offset;
		break;
	}
	return *offset > -DISTANCE_MAX && *offset < DISTANCE_MAX && *offset % 8 == 0;
}
