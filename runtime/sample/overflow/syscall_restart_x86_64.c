/* Restarts on x86-64.  The instruction is two bytes, 0f 05.  The number is in rax, the second
 * argument in rsi. */
#include "runtime/sample/overflow/syscall_restart.h"

#include <string.h>

#include "runtime/sample/elf/memory.h"

#define MOV_EAX	    0xb8
#define MOV_BYTES   5
#define BETWEEN_MAX 16 /* bytes of instructions that load other arguments */
#define LOOKED_AT   (1 + BETWEEN_MAX + MOV_BYTES)
#define REX_B_MASK  0xf1 /* of a prefix that makes the register r8d: 41 b8 */
#define REX_B	    0x41
#define SYSCALL_0   0x0f
#define SYSCALL_1   0x05
#define NUMBERS_END 1024

bool syscall_restart_call(const ucontext_t *context, long *number, uint64_t *second)
{
	const greg_t *registers = context->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)registers[REG_RIP]; /* NOLINT */

	if (registers[REG_RAX] < 0 || registers[REG_RAX] > 1023 ||
	    !memory_is_readable_for((uint64_t)code, 2) || code[0] != SYSCALL_0 ||
	    code[1] != SYSCALL_1)
		return false;
	*number = (long)registers[REG_RAX];
	*second = (uint64_t)registers[REG_RSI];
	return true;
}

long syscall_restart_number_of(const ucontext_t *context)
{
	return (long)context->uc_mcontext.gregs[REG_RAX];
}

void syscall_restart_return(ucontext_t *context, long result)
{
	context->uc_mcontext.gregs[REG_RIP] += 2;
	context->uc_mcontext.gregs[REG_RAX] = result;
}

/* Returns the number of the call; -1: it was not found.  The result has replaced the number in rax.
 * But libc loads the number with mov $number, %eax, right before the call or a few instructions
 * earlier. */
static long loaded_number(const uint8_t *instruction)
{
	uint32_t number;

	for (unsigned between = 0; between <= BETWEEN_MAX; between++) {
		const uint8_t *code = instruction - between - MOV_BYTES;

		memcpy(&number, code + 1, sizeof(number));
		if (code[0] == MOV_EAX && (code[-1] & REX_B_MASK) != REX_B && number < NUMBERS_END)
			return (long)number;
	}
	return -1;
}

long syscall_restart_result_of(const ucontext_t *context)
{
	return (long)context->uc_mcontext.gregs[REG_RAX];
}

bool syscall_restart_left(const ucontext_t *context, long *number, uint64_t argument[6])
{
	static const int places[] = { REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9 };
	const greg_t *registers = context->uc_mcontext.gregs;
	const uint8_t *code = (const uint8_t *)registers[REG_RIP] - 2; /* NOLINT */

	if (!memory_is_readable_for((uint64_t)(code - LOOKED_AT), LOOKED_AT + 2) ||
	    code[0] != SYSCALL_0 || code[1] != SYSCALL_1)
		return false;
	*number = loaded_number(code);
	for (unsigned i = 0; i < 6; i++)
		argument[i] = (uint64_t)registers[places[i]];
	return true;
}

/* Layout of a signal frame, downwards from the stack pointer (arch/x86/kernel/signal.c): the red
 * zone; the state of the vector unit, of the same size as in our own frame, at a multiple of 64;
 * struct rt_sigframe, with rax in its 20th word, followed by rcx, rsp and rip. */
#define RED_ZONE	128
#define LEGACY_BYTES	512
#define SIZE_AT		464 /* struct _fpx_sw_bytes: a magic number and the total size */
#define SIZE_MAGIC	0x46505853U
#define RAX_BELOW	288
#define ALIGNMENT_BYTES 128 /* and what our own frame has more: signal_frame_x86_64.c */

uint64_t syscall_restart_state_bytes(const ucontext_t *context)
{
	const char *state = (const char *)context->uc_mcontext.fpregs;
	uint32_t size[2];

	if (!state)
		return 0;
	memcpy(size, state + SIZE_AT, sizeof(size));
	return size[0] == SIZE_MAGIC ? size[1] : LEGACY_BYTES;
}

bool syscall_restart_was_returned_to(const ucontext_t *context)
{
	const greg_t *registers = context->uc_mcontext.gregs;
	const greg_t wanted[] = { registers[REG_RAX], registers[REG_RCX], registers[REG_RSP],
				  registers[REG_RIP] };
	uint64_t top = (uint64_t)registers[REG_RSP] - RED_ZONE -
		       syscall_restart_state_bytes(context) - RAX_BELOW;

	for (uint64_t at = top & ~7ULL; at >= top - ALIGNMENT_BYTES; at -= 8) {
		if (!memory_is_readable_for(at, sizeof(wanted)))
			return false;
		if (!memcmp((const void *)at, wanted, sizeof(wanted))) /* NOLINT */
			return true;
	}
	return false;
}

void syscall_restart_again(ucontext_t *context, long number)
{
	context->uc_mcontext.gregs[REG_RIP] -= 2;
	context->uc_mcontext.gregs[REG_RAX] = number;
}

void syscall_restart_result(ucontext_t *context, long result)
{
	context->uc_mcontext.gregs[REG_RAX] = result;
}
