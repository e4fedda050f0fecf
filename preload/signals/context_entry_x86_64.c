/* The arguments are in rdi and rsi.  rax is free at a call that is not variadic. */
#include "preload/signals/context_entry.h"

#define ENTRY(name, enter)                       \
	__asm__(".pushsection .text\n"           \
		".globl " name "\n"              \
		".type " name ", @function\n"    \
		".p2align 4\n" name ":\n\t"      \
		".cfi_startproc\n\t"             \
		"endbr64\n\t"                    \
		"push %rdi\n\t"                  \
		".cfi_adjust_cfa_offset 8\n\t"   \
		"push %rsi\n\t"                  \
		".cfi_adjust_cfa_offset 8\n\t"   \
		"sub $8, %rsp\n\t"               \
		".cfi_adjust_cfa_offset 8\n\t"   \
		"call " enter "\n\t"             \
		"add $8, %rsp\n\t"               \
		".cfi_adjust_cfa_offset -8\n\t"  \
		"pop %rsi\n\t"                   \
		".cfi_adjust_cfa_offset -8\n\t"  \
		"pop %rdi\n\t"                   \
		".cfi_adjust_cfa_offset -8\n\t"  \
		"jmp *%rax\n\t"                  \
		".cfi_endproc\n"                 \
		".size " name ", . - " name "\n" \
		".popsection")

ENTRY("__sigsetjmp", "context_enter_sigsetjmp");
ENTRY("setjmp", "context_enter_setjmp");
ENTRY("getcontext", "context_enter_getcontext");
