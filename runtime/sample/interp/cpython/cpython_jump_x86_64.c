/*
 * x86-64's jumps and calls with 32 bits of distance: a compiler has no shorter ones to another
 * section.  An address is a distance, too, or in a program that is not moved a number.
 */
#include <string.h>

#include "runtime/sample/interp/cpython/cpython.h"
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

bool cpython_jump_decode_call(const uint8_t *code, uint64_t address, uint64_t *target)
{
	int32_t distance;

	memcpy(&distance, code + 1, sizeof(distance));
	*target = address + 1 + sizeof(distance) + (uint64_t)(int64_t)distance;
	return code[0] == 0xe8;
}

bool cpython_jump_decode_data(const uint8_t *code, uint64_t address, uint64_t *target)
{
	uint32_t number;
	int32_t distance;

	if ((code[0] & 0xf8) == 0xb8) { /* mov $number, register */
		memcpy(&number, code + 1, sizeof(number));
		*target = number;
		return true;
	}
	memcpy(&distance, code + 3, sizeof(distance));
	*target = address + 3 + sizeof(distance) + (uint64_t)(int64_t)distance;
	return (code[0] & 0xfb) == 0x48 && code[1] == 0x8d && /* lea distance(%rip), register */
	       (code[2] & 0xc7) == 0x05;
}

unsigned cpython_jump_step(void)
{
	return 1;
}
