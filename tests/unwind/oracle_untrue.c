/*
 * Assembly whose unwind information is untrue.  An interpreter has one entry for all of its code,
 * which describes only the middle: not its entries and exits, nor its helpers.  Small functions
 * push a word that their entries do not mention.
 */
#include "tests/support/libc.h"

void oracle_untrue(void *argument);
void untrue_callee(void);
void untrue_enter(uint64_t rounds);
void untrue_enter_otherwise(uint64_t rounds);
void untrue_zero(void), untrue_stack(void), untrue_calls(void), untrue_word(void *pushed);

static volatile unsigned called;

__attribute__((noinline)) void untrue_callee(void)
{
	called++;
}

/* 24 bytes of registers and 32 of variables. */
#define ENTER "push %rbp; push %rbx; push %r12; sub $32, %rsp;"

__asm__(".text; .type untrue_interpreter, @function; untrue_interpreter: .cfi_startproc;"
	".cfi_def_cfa_offset 64; .cfi_offset %rbp, -16; .cfi_offset %rbx, -24; .cfi_offset %r12, "
	"-32;"
	"1: mov %rbx, (%rsp); call 2f; call 3f; dec %rbx; jz 4f; lea 1b(%rip), %rax; jmp *%rax;"
	".skip 5000, 0x90;"
	"2: xor %eax, %eax; cmp %rbx, %rax; je 5f; inc %eax; 5: ret;"	 /* a helper */
	"3: push %rbx; call untrue_callee; pop %rbx; nop; ret;"		 /* a helper that calls */
	"4: add $32, %rsp; pop %r12; pop %rbx; pop %rbp; ret;"		 /* the exit */
	"untrue_enter: " ENTER "mov %rdi, %rbp; mov %rdi, %rbx; jmp 6f;" /* two entries */
	"untrue_enter_otherwise: " ENTER "mov %rdi, %rbx;"
	"6: lea 1b(%rip), %rax; jmp *%rax;"
	".cfi_endproc; .size untrue_interpreter, . - untrue_interpreter");

/* Code without an entry that ends with a call, right before code that has one. */
__asm__(".text; .type untrue_end, @function; untrue_end: sub $8, %rsp; call untrue_callee;"
	".cfi_startproc; .cfi_adjust_cfa_offset 8; add $8, %rsp; .cfi_adjust_cfa_offset -8; ret;"
	".cfi_endproc; .size untrue_end, . - untrue_end");
void untrue_end(void);

#define UNTRUE(name, push)                                                              \
	__asm__(".text; .type " name ", @function; " name ": .cfi_startproc; nop;" push \
		"nop; nop; pop %rcx; nop; ret; .cfi_endproc; .size " name ", . - " name)

UNTRUE("untrue_zero", "push $0;");
UNTRUE("untrue_stack", "push %rsp;");
UNTRUE("untrue_word", "push %rdi;");
UNTRUE("untrue_calls", "push $0; call untrue_callee;");

void oracle_untrue(void *argument)
{
	void *memory = malloc(100);

	(void)argument;
	for (volatile int i = 0; i < 20; i++) {
		untrue_enter(3);
		untrue_enter_otherwise(2);
		untrue_zero();
		untrue_stack();
		untrue_word(memory);
		untrue_calls();
		untrue_end();
	}
	free(memory);
}
