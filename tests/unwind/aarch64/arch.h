/* The machine-dependent part of the unwinder's tests. */
#ifndef TESTS_UNWIND_ARCH_H
#define TESTS_UNWIND_ARCH_H

#include <stdint.h>
#include <ucontext.h>

enum { MACHINE_SP = 31, MACHINE_PC = 32, MACHINE_COUNT = 33 };

static inline uint64_t *machine_registers(ucontext_t *context)
{
	return (uint64_t *)context->uc_mcontext.regs;
}

/* A function (argument, function) that calls function(argument), with a frame record:
 * stp x29,x30,[sp,#-16]!; mov x29,sp; blr x1; ldp x29,x30,[sp],#16; ret */
#define MACHINE_WITH_FRAME                                                                        \
	0xfd, 0x7b, 0xbf, 0xa9, 0xfd, 0x03, 0x00, 0x91, 0x20, 0x00, 0x3f, 0xd6, 0xfd, 0x7b, 0xc1, \
		0xa8, 0xc0, 0x03, 0x5f, 0xd6

/* The same without: str x30,[sp,#-16]!; blr x1; ldr x30,[sp],#16; ret */
#define MACHINE_WITHOUT_FRAME                                                                     \
	0xfe, 0x0f, 0x1f, 0xf8, 0x20, 0x00, 0x3f, 0xd6, 0xfe, 0x07, 0x41, 0xf8, 0xc0, 0x03, 0x5f, \
		0xd6

/* The same, which traps instead of calling: brk #0; ret */
#define MACHINE_TRAPPING 0x00, 0x00, 0x20, 0xd4, 0xc0, 0x03, 0x5f, 0xd6

/* A function (argument) of the program, without unwind information, with a frame record, that
 * calls walk_framed(argument). */
#define MACHINE_FRAMED                                                                        \
	__asm__(".text; .type machine_framed, %function; machine_framed: stp x29, x30, [sp, " \
		"#-16]!;"                                                                     \
		"mov x29, sp; bl walk_framed; ldp x29, x30, [sp], #16; ret")

/* A leaf without unwind information that traps. */
#define MACHINE_UNDESCRIBED \
	__asm__(".text; .type machine_trap, %function; machine_trap: brk #0; ret")

static inline void machine_step_over_trap(ucontext_t *context)
{
	context->uc_mcontext.pc += 4;
}

#endif
