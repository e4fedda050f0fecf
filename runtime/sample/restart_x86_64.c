/* The instruction is two bytes, 0f 05; the number is in rax, the second argument in rsi. */
#include "runtime/sample/restart.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "runtime/sample/memory.h"

bool restart_call(const ucontext_t *context, long *number, uint64_t *second)
{
	const greg_t *registers = context->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)registers[REG_RIP]; /* NOLINT */

	if (registers[REG_RAX] < 0 || registers[REG_RAX] > 1023 ||
	    !memory_is_readable((uint64_t)code) || !memory_is_readable((uint64_t)code + 1) ||
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

#define MOV_EAX	    0xb8
#define MOV_BYTES   5
#define BETWEEN_MAX 16 /* bytes of instructions that load other arguments */
#define SYSCALL_0   0x0f
#define SYSCALL_1   0x05
#define NUMBERS_END 1024

/* The kernel puts the result in the number's place; but libc loads the number, mov $number, %eax,
 * right before the call or a few moves earlier.  -1: it does not seem to. */
static long loaded_number(const uint8_t *instruction)
{
	uint32_t number;

	for (unsigned between = 0; between <= BETWEEN_MAX; between++) {
		const uint8_t *code = instruction - between - MOV_BYTES;

		memcpy(&number, code + 1, sizeof(number));
		if (code[0] == MOV_EAX && number < NUMBERS_END)
			return (long)number;
	}
	return -1;
}

bool restart_ended(const ucontext_t *context, long *number, uint64_t *fourth)
{
	const greg_t *registers = context->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)registers[REG_RIP] - 2; /* NOLINT */

	if (registers[REG_RAX] != -EINTR ||
	    !memory_is_readable((uint64_t)(code - BETWEEN_MAX - MOV_BYTES)) ||
	    !memory_is_readable((uint64_t)code + 1) || code[0] != SYSCALL_0 || code[1] != SYSCALL_1)
		return false;
	*number = loaded_number(code);
	*fourth = (uint64_t)registers[REG_R10];
	return true;
}

void restart_again(ucontext_t *context, long number)
{
	context->uc_mcontext.gregs[REG_RIP] -= 2;
	context->uc_mcontext.gregs[REG_RAX] = number;
}

void restart_result(ucontext_t *context, long result)
{
	context->uc_mcontext.gregs[REG_RAX] = result;
}
