/*
 * Calls on x86-64: E8 with a distance, or FF /2 with any operand.  Bytes before an address may look
 * like a call by chance; the destination gives more evidence.
 */
#include "runtime/sample/unwind/callsite.h"

#include <stdbool.h>
#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/cfi/unwind_module.h"
#include "runtime/sample/unwind/unwind_ask.h"

#define CALL_MAX       7
#define CALL	       0xe8
#define NOP	       0x90
#define RELATIVE_BYTES 5 /* E8 and a distance */
#define POINTER_BYTES  6 /* FF /2 or FF /4, and the distance to a pointer */
#define STUB_MAX       11
#define ENDBR_BYTES    4

const uint64_t callsite_key_bit = 1ULL << 47; /* set in no address of a process */

static uint64_t relative(uint64_t returns, const uint8_t *end)
{
	int32_t distance;

	memcpy(&distance, end - sizeof(distance), sizeof(distance));
	return returns + (uint64_t)(int64_t)distance;
}

/* True for FF /2 of that many bytes, without prefix (Intel SDM, volume 2, 2.1.5: ModR/M and
 * SIB). */
static bool is_indirect(const uint8_t *call, unsigned bytes)
{
	unsigned mode = call[1] >> 6, base = call[1] & 7;
	bool indexed = mode != 3 && base == 4;
	unsigned length = indexed ? 3 : 2;

	if (call[0] != 0xff || (call[1] >> 3 & 7) != 2 || length > bytes)
		return false;
	if (indexed)
		base = call[2] & 7;
	if (mode == 1)
		length++;
	if (mode == 2 || (mode == 0 && base == 5))
		length += 4;
	return length == bytes;
}

/* Reads the code at an address, behind the endbr64 that it may begin with.  False: it cannot be
 * read. */
static bool read_start(const struct unwind_walk *walk, uint64_t start, uint8_t code[STUB_MAX],
		       unsigned *skipped)
{
	if (!unwind_ask_code(walk, code, start, STUB_MAX))
		return false;
	*skipped = memcmp(code, "\xf3\x0f\x1e\xfa", ENDBR_BYTES) ? 0 : ENDBR_BYTES;
	return true;
}

/* Returns the value of the pointer that an instruction ending at `next` addresses by a distance.  A
 * pointer that the loader has not resolved yet leads to code that pushes an index for it. */
static uint64_t pointed_to(const struct unwind_walk *walk, uint64_t next, const uint8_t *end)
{
	uint8_t code[STUB_MAX];
	unsigned at;
	uint64_t start;

	if (!memory_copy(&start, relative(next, end), sizeof(start)) || !unwind_module_has(start) ||
	    !read_start(walk, start, code, &at) || code[at] == 0x68)
		return CALLSITE_UNKNOWN;
	return start;
}

/* Returns the final destination of a direct call.  A stub of the linker jumps through a pointer, by
 * FF 25, with or without a bnd prefix. */
static uint64_t behind_stub(const struct unwind_walk *walk, uint64_t start)
{
	uint8_t code[STUB_MAX];
	unsigned at;

	if (!read_start(walk, start, code, &at))
		return CALLSITE_UNKNOWN;
	at += code[at] == 0xf2;
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return start;
	at += POINTER_BYTES;
	return pointed_to(walk, start + at, code + at);
}

static bool is_goexit(const struct unwind_walk *walk, uint64_t returns, const uint8_t *end)
{
	uint8_t next;

	return end[-1] == NOP && unwind_module_has(returns) &&
	       unwind_ask_code(walk, &next, returns, sizeof(next)) && next == CALL;
}

uint64_t callsite_callee(const struct unwind_walk *walk, uint64_t returns, bool destination)
{
	uint8_t code[CALL_MAX];
	const uint8_t *end = code + CALL_MAX;

	if (!unwind_ask_code(walk, code, returns - CALL_MAX, CALL_MAX))
		return CALLSITE_NONE;
	if (end[-RELATIVE_BYTES] == CALL && unwind_module_has(relative(returns, end)))
		return destination ? behind_stub(walk, relative(returns, end)) : CALLSITE_SOME;
	if (end[-RELATIVE_BYTES] == CALL && !unwind_module_has(returns - 1))
		return CALLSITE_UNKNOWN; /* from one piece of run-time compiled code to another */
	if (end[-POINTER_BYTES] == 0xff && end[1 - POINTER_BYTES] == 0x15)
		return destination ? pointed_to(walk, returns, end) : CALLSITE_SOME;
	for (unsigned bytes = 2; bytes <= CALL_MAX; bytes++)
		if (is_indirect(end - bytes, bytes))
			return CALLSITE_UNKNOWN;
	return is_goexit(walk, returns, end) ? CALLSITE_ROOT : CALLSITE_NONE;
}
