/*
 * aarch64's jumps that reach another section: b, and b.cond for one that is near.  A call is bl,
 * and an address is made of a page (adrp) and a number that is added soon.
 */
#include <string.h>

#include "runtime/sample/interp/adrp_aarch64.h"
#include "runtime/sample/interp/cpython/cpython.h"
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

bool cpython_jump_decode_call(const uint8_t *code, uint64_t address, uint64_t *target)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	*target = address + (uint64_t)((int64_t)((uint64_t)(word & 0x3ffffff) << 38) >> 36);
	return (word & 0xfc000000) == 0x94000000;
}

bool cpython_jump_decode_data(const uint8_t *code, uint64_t address, uint64_t *target)
{
	uint32_t page, add;

	memcpy(&page, code, sizeof(page));
	if (!adrp_is(page))
		return false;
	for (unsigned at = INSTRUCTION_BYTES; at < CPYTHON_JUMP_BYTES; at += INSTRUCTION_BYTES) {
		memcpy(&add, code + at, sizeof(add));
		if ((add & 0xffc00000) != 0x91000000 || (add >> 5 & 31) != (page & 31))
			continue;
		*target = adrp_page(page, address) + (add >> 10 & 0xfff);
		return true;
	}
	return false;
}

unsigned cpython_jump_step(void)
{
	return INSTRUCTION_BYTES;
}
