/*
 * PHP's compiled code on aarch64: gcc builds the engine's loop with two global register variables.
 */
#include "runtime/sample/interp/php/php.h"

#include <string.h>

#include "runtime/sample/sys/poison.h"

/* The frame record and ten registers: below are the frame's variables, among them the call that the
 * loop has left for this one. */
const unsigned php_saved_bytes = 96;

void php_registers(const ucontext_t *context, uint64_t *frame, uint64_t *opline)
{
	*frame = context->uc_mcontext.regs[27];
	*opline = context->uc_mcontext.regs[28];
}

#define BTI_C  0xd503245fu
#define RET    0xd65f03c0u
#define MOVZ   0x52800000u /* movz w0, #imm16 */
#define MOVK   0x72a00000u /* movk w0, #imm16, lsl #16 */
#define IMM16  0x001fffe0u
#define IMM_AT 5

bool php_version_decode(const unsigned char *code, uint32_t *version)
{
	uint32_t word[PHP_VERSION_CODE_BYTES / 4];
	const uint32_t *at = word;

	memcpy(word, code, sizeof(word));
	if (*at == BTI_C)
		at++;
	if ((at[0] & ~IMM16) != MOVZ || (at[1] & ~IMM16) != MOVK || at[2] != RET)
		return false;
	*version = (at[0] & IMM16) >> IMM_AT | (at[1] & IMM16) >> IMM_AT << 16;
	return true;
}
