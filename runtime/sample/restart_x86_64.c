/* The instruction is two bytes, 0f 05; the number is in rax, the second argument in rsi. */
#include "runtime/sample/restart.h"

#include <stddef.h>

#include "runtime/sample/unwind_range.h"

bool restart_call(const ucontext_t *context, long *number, uint64_t *second)
{
	const greg_t *registers = context->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)registers[REG_RIP]; /* NOLINT */

	if (registers[REG_RAX] < 0 || registers[REG_RAX] > 1023 ||
	    !unwind_range_readable((uint64_t)code) || !unwind_range_readable((uint64_t)code + 1) ||
	    code[0] != 0x0f || code[1] != 0x05)
		return false;
	*number = (long)registers[REG_RAX];
	*second = (uint64_t)registers[REG_RSI];
	return true;
}

void restart_return(ucontext_t *context, long result)
{
	context->uc_mcontext.gregs[REG_RIP] += 2;
	context->uc_mcontext.gregs[REG_RAX] = result;
}
