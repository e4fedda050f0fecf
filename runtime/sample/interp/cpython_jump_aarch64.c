/*
 * aarch64's jumps that reach another section: b, and b.cond for one that is near.
 */
#include <string.h>

#include "runtime/sample/interp/cpython_cold.h"
#include "runtime/sample/sys/poison.h"

#define INSTRUCTION_BYTES 4

bool cpython_jump_decode(const uint8_t *code, uint64_t address, uint64_t *target)
{
	uint32_t word;
	int64_t distance;

	memcpy(&word, code, sizeof(word));
	if ((word & 0xfc000000) == 0x14000000) /* b */
		distance = (int64_t)((uint64_t)(word & 0x3ffffff) << 38) >> 36;
	else if ((word & 0xff000010) == 0x54000000) /* b.cond */
		distance = (int64_t)((uint64_t)(word >> 5 & 0x7ffff) << 45) >> 43;
	else
		return false;
	*target = address + (uint64_t)distance;
	return true;
}

unsigned cpython_jump_step(void)
{
	return INSTRUCTION_BYTES;
}
