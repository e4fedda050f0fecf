/* A machine's conventions for code addresses and frame pointers. */
#ifndef RUNTIME_SAMPLE_CFI_UNWIND_ABI_H
#define RUNTIME_SAMPLE_CFI_UNWIND_ABI_H

#include <stdint.h>

#include "runtime/sample/elf/memory.h"

#define UNWIND_LOWEST_CODE MEMORY_LOWEST

#if defined(__aarch64__)

#define UNWIND_HIGHEST_CODE	0xffffffffffffULL
#define UNWIND_RECORD_TELLS_CFA 0 /* a frame record may lie anywhere in its frame */

/* Returns the address in a word that was saved as a return address, without its signature. xpaclri
 * is a hint that older processors treat as a no-op; it works on x30.  Context: any. */
static inline uint64_t unwind_abi_address(uint64_t word)
{
	register uint64_t link __asm__("x30") = word;

	__asm__("hint #7" : "+r"(link));
	return link;
}

#else

#define UNWIND_HIGHEST_CODE	0x7fffffffffffULL
#define UNWIND_RECORD_TELLS_CFA 1 /* it is right below the CFA */

/* The address in a word that was saved as a return address.  Context: any. */
static inline uint64_t unwind_abi_address(uint64_t word)
{
	return word;
}

#endif

#endif
