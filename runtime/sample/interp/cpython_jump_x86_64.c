/*
 * x86-64's jumps with 32 bits of distance: a compiler has no shorter ones to another section.
 */
#include <string.h>

#include "runtime/sample/interp/cpython_cold.h"
#include "runtime/sample/sys/poison.h"

bool cpython_jump_decode(const uint8_t *code, uint64_t address, uint64_t *target)
{
	unsigned bytes = 0;
	int32_t distance;

	if (code[0] == 0xe9) /* jmp */
		bytes = 1;
	else if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80) /* jcc */
		bytes = 2;
	else
		return false;
	memcpy(&distance, code + bytes, sizeof(distance));
	*target = address + bytes + sizeof(distance) + (uint64_t)(int64_t)distance;
	return true;
}

unsigned cpython_jump_step(void)
{
	return 1;
}
