/*
 * aarch64: static blocks lie above the thread pointer, which points to a record of two words that
 * begins with the table's address (ELF Handling For Thread-Local Storage, variant I).  So no block
 * has the distance 0, which the loader uses for "none".
 */
#include "runtime/sample/elf/tls_block.h"

#include "runtime/sample/sys/poison.h"

unsigned tls_block_table(void)
{
	return 0;
}

bool tls_block_distance(uint64_t offset, int64_t *distance)
{
	*distance = (int64_t)offset;
	return offset && offset != UINT64_MAX; /* none; and none for ever */
}
