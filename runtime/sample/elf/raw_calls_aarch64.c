/*
 * The instruction is svc #0; the number is in w8.  Instructions are words, so that they are not
 * mistaken for data within others.
 */
#include "runtime/sample/elf/raw_calls.h"

#include "runtime/sample/elf/memory.h"

#define SVC	   0xd4000001u
#define BEFORE_MAX 16	       /* instructions that load the number and the arguments */
#define MOVZ_MASK  0x7fe0001fu /* movz w8, #imm16, and movz x8 */
#define MOVZ_8	   0x52800008u

static unsigned kind_before(const uint32_t *start, const uint32_t *call)
{
	bool numbered = false;
	unsigned found = 0;

	for (unsigned i = 1; i <= BEFORE_MAX && call - i >= start; i++) {
		if ((call[-(int)i] & MOVZ_MASK) != MOVZ_8)
			continue;
		numbered = true;
		found |= raw_calls_kind(call[-(int)i] >> 5 & 0xffff);
	}
	return numbered ? found : RAW_CALLS_SIGNALS | RAW_CALLS_EXEC;
}

MEMORY_RAW unsigned raw_calls_in(const uint8_t *code, uint64_t bytes)
{
	const uint32_t *start = (const void *)(((uintptr_t)code + 3) & ~(uintptr_t)3); /* NOLINT */
	const uint32_t *end =
		(const void *)(code + bytes); /* NOLINT(clang-diagnostic-cast-align) */
	unsigned found = 0;

	for (const uint32_t *call = start;
	     call < end && (const uint8_t *)(call + 1) <= code + bytes; call++)
		if (*call == SVC)
			found |= kind_before(start, call);
	return found;
}
