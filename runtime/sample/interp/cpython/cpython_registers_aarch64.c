/*
 * The general registers of interrupted code on aarch64, but the stack pointer.
 */
#include "runtime/sample/interp/cpython/cpython_registers.h"
#include "runtime/sample/sys/poison.h"

void cpython_registers(const ucontext_t *context, uint64_t *registers)
{
	for (unsigned i = 0; i < CPYTHON_REGISTERS; i++)
		registers[i] = context->uc_mcontext.regs[i];
}
