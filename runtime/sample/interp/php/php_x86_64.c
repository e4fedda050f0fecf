/*
 * PHP's compiled code on x86-64: gcc builds the engine's loop with two global register variables.
 */
#include "runtime/sample/interp/php/php.h"

#include <string.h>

#include "runtime/sample/sys/poison.h"

const unsigned php_saved_bytes = 56; /* the return address and six registers, pushed first */

void php_registers(const ucontext_t *context, uint64_t *frame, uint64_t *opline)
{
	*frame = (uint64_t)context->uc_mcontext.gregs[REG_R14];
	*opline = (uint64_t)context->uc_mcontext.gregs[REG_R15];
}

bool php_version_decode(const unsigned char *code, uint32_t *version)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

	if (!memcmp(code, endbr64, sizeof(endbr64)))
		code += sizeof(endbr64);
	if (code[0] != 0xb8 || code[5] != 0xc3) /* mov $version, %eax; ret */
		return false;
	memcpy(version, code + 1, sizeof(*version));
	return true;
}
