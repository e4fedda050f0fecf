/*
 * aarch64: static blocks lie above the thread pointer, which points to the table's address (ELF
 * Handling For Thread-Local Storage, variant I).
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
	return offset < UINT64_MAX - 1; /* none; and none for ever */
}
