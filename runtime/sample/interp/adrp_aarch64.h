/* aarch64's instruction adrp: the page of an address, relative to the instruction's own. */
#ifndef RUNTIME_SAMPLE_INTERP_ADRP_AARCH64_H
#define RUNTIME_SAMPLE_INTERP_ADRP_AARCH64_H

#include <stdbool.h>
#include <stdint.h>

#define ADRP_PAGE_BYTES 4096

static inline bool adrp_is(uint32_t word)
{
	return (word & 0x9f000000) == 0x90000000;
}

/* Returns the page that an adrp at `address` names.  Context: any. */
static inline uint64_t adrp_page(uint32_t word, uint64_t address)
{
	uint64_t number = (uint64_t)(word >> 5 & 0x7ffff) << 2 | (word >> 29 & 3);
	int64_t pages = (int64_t)(number << 43) >> 43;

	return (address & ~(uint64_t)(ADRP_PAGE_BYTES - 1)) + (uint64_t)(pages * ADRP_PAGE_BYTES);
}

#endif
