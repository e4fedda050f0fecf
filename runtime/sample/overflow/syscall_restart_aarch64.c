/* Restarts on aarch64.  The instruction is svc #0.  The number is in x8, the second argument in x1,
 * the result in x0. */
#include "runtime/sample/overflow/syscall_restart.h"

#include "runtime/sample/elf/memory.h"

#define SVC_0 0xd4000001u

bool syscall_restart_call(const ucontext_t *context, long *number, uint64_t *second)
{
	uint64_t pc = context->uc_mcontext.pc;

	if (pc & 3 || context->uc_mcontext.regs[8] > 1023 || !memory_is_readable(pc) ||
	    *(const uint32_t *)pc != SVC_0) /* NOLINT(performance-no-int-to-ptr) */
		return false;
	*number = (long)context->uc_mcontext.regs[8];
	*second = context->uc_mcontext.regs[1];
	return true;
}

long syscall_restart_number_of(const ucontext_t *context)
{
	return (long)context->uc_mcontext.regs[8];
}

void syscall_restart_return(ucontext_t *context, long result)
{
	context->uc_mcontext.pc += 4;
	context->uc_mcontext.regs[0] = (uint64_t)result;
}

long syscall_restart_result_of(const ucontext_t *context)
{
	return (long)context->uc_mcontext.regs[0];
}

/* The result has replaced the first argument, so the call cannot be repeated. */
bool syscall_restart_left(const ucontext_t *context, long *number, uint64_t argument[6])
{
	uint64_t pc = context->uc_mcontext.pc - 4;

	*number = -1;
	for (unsigned i = 0; i < 6; i++)
		argument[i] = context->uc_mcontext.regs[i];
	return !(pc & 3) && memory_is_readable(pc) &&
	       *(const uint32_t *)pc == SVC_0; /* NOLINT(performance-no-int-to-ptr) */
}

bool syscall_restart_was_returned_to(const ucontext_t *context)
{
	(void)context;
	return false;
}

void syscall_restart_again(ucontext_t *context, long number)
{
	(void)context;
	(void)number;
}

void syscall_restart_result(ucontext_t *context, long result)
{
	context->uc_mcontext.regs[0] = (uint64_t)result;
}
