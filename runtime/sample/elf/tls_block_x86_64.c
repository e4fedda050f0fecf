/*
 * x86-64: static blocks lie below the thread pointer, which points to a record whose second word is
 * the table (ELF Handling For Thread-Local Storage, variant II).
 */
#include "runtime/sample/elf/tls_block.h"

#include "runtime/sample/sys/poison.h"

unsigned tls_block_table(void)
{
	return 1;
}

bool tls_block_distance(uint64_t offset, int64_t *distance)
{
	*distance = -(int64_t)offset;
	return offset && offset != UINT64_MAX; /* none; and none for ever */
}
