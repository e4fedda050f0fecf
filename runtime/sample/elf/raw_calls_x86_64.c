/*
 * The instruction is two bytes, 0f 05, which also occur as data and within other instructions.  So
 * the code before it must load a number into rax, or, if the number is a variable, a fourth
 * argument into r10, as rt_sigaction(2) needs it.  And it must not be the distance of a jump.
 */
#include "runtime/sample/elf/raw_calls.h"

#include <stddef.h>
#include <string.h>

#include "runtime/sample/elf/memory.h"

#define BEFORE_MAX  64 /* bytes of the instructions that load the number and the arguments */
#define R10_MAX	    32
#define MOV_EAX	    0xb8 /* mov $32, %eax */
#define MOV_BYTES   5
#define REX_B_MASK  0xf1 /* of a prefix that makes the register r8d: 41 b8 */
#define REX_B	    0x41
#define PUSH	    0x6a /* push $8; pop %rax */
#define POP_RAX	    0x58
#define NUMBERS_END 1024
#define CALL	    0xe8 /* and jmp, the next one */
#define JCC	    0x80 /* 0f 80 to 0f 8f: jumps if */

/* Returns the number that the instruction at `code` loads into rax; NUMBERS_END: none. */
static uint32_t loaded(const uint8_t *code, size_t left, bool first)
{
	uint32_t number = NUMBERS_END;

	if (left >= MOV_BYTES && code[0] == MOV_EAX &&
	    (first || (code[-1] & REX_B_MASK) != REX_B)) {
		memcpy(&number, code + 1, sizeof(number));
	} else if (left >= MOV_BYTES + 2 && !memcmp(code, "\x48\xc7\xc0", 3)) { /* to rax */
		memcpy(&number, code + 3, sizeof(number));
	} else if (left >= 3 && code[0] == PUSH && code[2] == POP_RAX) {
		number = code[1];
	}
	return number < NUMBERS_END ? number : NUMBERS_END;
}

/* mov to r10 from a register, from a variable on the stack, or of the size of a mask. */
static bool loads_r10(const uint8_t *code, size_t left)
{
	if (left < 3)
		return false;
	if ((code[0] == 0x49 || code[0] == 0x4d) && code[1] == 0x89)
		return (code[2] & 0xc7) == 0xc2;
	if (code[0] == 0x4c && code[1] == 0x8b)
		return (code[2] & 0x38) == 0x10;
	return (code[0] == 0x41 && code[1] == 0xba && code[2] == sizeof(uint64_t)) ||
	       (code[0] == 0x49 && code[1] == 0xc7 && code[2] == 0xc2);
}

/* True if the two bytes at `at` begin the distance of a near jump or call: before them is its code,
 * behind them are the upper bytes of a distance of less than 16 MB. */
static bool is_distance(const uint8_t *code, uint64_t bytes, uint64_t at)
{
	bool jumps = (at >= 1 && (code[at - 1] & ~1u) == CALL) ||
		     (at >= 2 && code[at - 2] == 0x0f && (code[at - 1] & ~0xfu) == JCC);

	return jumps && at + 4 <= bytes && (code[at + 3] == 0 || code[at + 3] == 0xff);
}

/* The kinds of the call that the two bytes at `at` are; 0: they are none. */
static unsigned kind_at(const uint8_t *code, uint64_t bytes, uint64_t at)
{
	const uint8_t *call = code + at;
	size_t before = at < BEFORE_MAX ? at : BEFORE_MAX;
	bool numbered = false, fourth = false;
	unsigned found = 0;

	if (is_distance(code, bytes, at))
		return 0;
	for (size_t left = 1; left <= before; left++) {
		uint32_t number = loaded(call - left, left, left == at);

		numbered |= number < NUMBERS_END;
		found |= number < NUMBERS_END ? raw_calls_kind(number) : 0;
		fourth |= left <= R10_MAX && loads_r10(call - left, left);
	}
	return numbered || !fourth ? found : RAW_CALLS_SIGNALS | RAW_CALLS_EXEC;
}

MEMORY_RAW unsigned raw_calls_in(const uint8_t *code, uint64_t bytes)
{
	const uint64_t fives = 0x0505050505050505ULL, ones = 0x0101010101010101ULL;
	unsigned found = 0;
	uint64_t at = 0;

	for (; at + sizeof(uint64_t) <= bytes; at += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, code + at, sizeof(word));
		word ^= fives;
		if (!((word - ones) & ~word & ones << 7)) /* no byte of the eight is 05 */
			continue;
		for (uint64_t i = at ? at : 1; i < at + sizeof(uint64_t); i++)
			if (code[i] == 0x05 && code[i - 1] == 0x0f)
				found |= kind_at(code, bytes, i - 1);
	}
	for (at = at ? at : 1; at < bytes; at++)
		if (code[at] == 0x05 && code[at - 1] == 0x0f)
			found |= kind_at(code, bytes, at - 1);
	return found;
}
