/* The machine-dependent part of the unwinder's tests. */
#ifndef TESTS_UNWIND_ARCH_H
#define TESTS_UNWIND_ARCH_H

#include <stdint.h>
#include <ucontext.h>

enum { MACHINE_SP = REG_RSP, MACHINE_PC = REG_RIP, MACHINE_COUNT = REG_RIP + 1 };

static inline uint64_t *machine_registers(ucontext_t *context)
{
	return (uint64_t *)context->uc_mcontext.gregs;
}

/* A function (argument, function) that calls function(argument), with a frame pointer:
 * push %rbp; mov %rsp,%rbp; mov %rsi,%rax; call *%rax; pop %rbp; ret */
#define MACHINE_WITH_FRAME 0x55, 0x48, 0x89, 0xe5, 0x48, 0x89, 0xf0, 0xff, 0xd0, 0x5d, 0xc3

/* The same without: sub $8,%rsp; mov %rsi,%rax; call *%rax; add $8,%rsp; ret */
#define MACHINE_WITHOUT_FRAME \
	0x48, 0x83, 0xec, 0x08, 0x48, 0x89, 0xf0, 0xff, 0xd0, 0x48, 0x83, 0xc4, 0x08, 0xc3

/* The same, whose frame is of 200 bytes, and which traps instead of calling:
 * sub $200,%rsp; int3; add $200,%rsp; ret */
#define MACHINE_TRAPPING \
	0x48, 0x81, 0xec, 0xc8, 0, 0, 0, 0xcc, 0x48, 0x81, 0xc4, 0xc8, 0, 0, 0, 0xc3

/* A function (argument) of the program, without unwind information, with a frame pointer, that
 * calls walk_framed(argument). */
#define MACHINE_FRAMED                                                               \
	__asm__(".text; .type machine_framed, @function; machine_framed: push %rbp;" \
		"mov %rsp, %rbp; call walk_framed; pop %rbp; ret")

/* A leaf without unwind information that has pushed registers, and then traps. */
#define MACHINE_UNDESCRIBED                                                                 \
	__asm__(".text; .type machine_trap, @function; machine_trap: push %rbx; push %r12;" \
		"push %r13; int3; pop %r13; pop %r12; pop %rbx; ret")

/* The same with a pointer to data in the register of the frame pointer. */
#define MACHINE_POINTER_IN_FRAME                                                      \
	__asm__(".text; .type machine_pointer_trap, @function; machine_pointer_trap:" \
		"push %rbp; push %rbx; mov %rdi,%rbp; int3; pop %rbx; pop %rbp; ret")

/* A function without unwind information that makes a frame, and restores the frame pointer by a
 * load, as V8's bytecode handlers do.  It has eight instructions; the last one is of one byte. */
#define MACHINE_LOADING                                                                \
	__asm__(".text; .type machine_loading, @function; machine_loading: push %rbp;" \
		"mov %rsp,%rbp; push $34; sub $56,%rsp; nop; mov (%rbp),%rbp;"         \
		"add $72,%rsp; ret; machine_loading_end:")
#define MACHINE_LOADING_STEPS 8

/* Every instruction traps from here on, until the handler clears MACHINE_STEP_FLAG. */
#define MACHINE_STEP	  __asm__ volatile("pushf; orl $0x100,(%%rsp); popf" ::: "cc", "memory")
#define MACHINE_STEP_FLAG 0x100

static inline void machine_step_over_trap(ucontext_t *context)
{
	(void)context; /* it is behind it */
}

#endif
