/*
 * Decodes aarch64's ways to load a thread-local variable: the sum of an offset in the code and the
 * thread pointer, an offset in a word, or a descriptor of two words that begins with a function.
 */
#include <string.h>

#include "runtime/sample/interp/adrp_aarch64.h"
#include "runtime/sample/interp/cpython_tls.h"
#include "runtime/sample/sys/poison.h"

#define WORDS (CPYTHON_TLS_CODE / sizeof(uint32_t))

#define IS_LOAD(word)	  (((word)&0xffc00000) == 0xf9400000) /* ldr x, [x, #imm] */
#define IS_ADD(word)	  (((word)&0xff800000) == 0x91000000)
#define IS_THREAD(word)	  (((word)&0xffffffe0) == 0xd53bd040) /* mrs x, tpidr_el0 */
#define IS_CALL(word)	  (((word)&0xfffffc1f) == 0xd63f0000) /* blr x */
#define IS_RETURN(word)	  ((word) == 0xd65f03c0)
#define LOAD_OFFSET(word) (((word) >> 10 & 0xfff) * 8)
#define ADD_NUMBER(word)  ((int64_t)((word) >> 10 & 0xfff) << ((word) >> 22 & 1 ? 12 : 0))
#define TARGET(word)	  ((word)&31)

void cpython_tls_decode(const uint8_t code[CPYTHON_TLS_CODE], uint64_t address,
			struct cpython_tls *tls)
{
	uint32_t words[WORDS];
	uint64_t page = 0;
	unsigned loads = 0;
	bool thread = false;

	*tls = (struct cpython_tls){ 0 };
	memcpy(words, code, sizeof(words));
	for (unsigned i = 0; i < WORDS && !IS_RETURN(words[i]); i++) {
		uint32_t word = words[i];

		if (adrp_is(word)) {
			page = adrp_page(word, address + i * sizeof(word));
		} else if (IS_THREAD(word)) {
			thread = true;
		} else if (IS_CALL(word)) {
			tls->kind = CPYTHON_TLS_ARGUMENT;
			tls->offset = 0;
		} else if (IS_LOAD(word) && page && !loads++) {
			tls->kind = CPYTHON_TLS_SLOT;
			tls->address = page + LOAD_OFFSET(word);
		} else if (IS_ADD(word) && TARGET(word) != 31 && thread && !page) {
			tls->kind = CPYTHON_TLS_OFFSET;
			tls->offset += ADD_NUMBER(word);
		}
	}
	if (!thread)
		tls->kind = CPYTHON_TLS_UNKNOWN;
}
