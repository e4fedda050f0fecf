/* Three arguments, in rdi, rsi and rdx.  After three pushes the stack is aligned for a call. */
#include "preload/calls/load_entry.h"

#define ENTRY(name)                                \
	__asm__(".pushsection .text\n"             \
		".globl " #name "\n"               \
		".type " #name ", @function\n"     \
		".p2align 4\n" #name ":\n\t"       \
		".cfi_startproc\n\t"               \
		"endbr64\n\t"                      \
		"push %rdi\n\t"                    \
		".cfi_adjust_cfa_offset 8\n\t"     \
		"push %rsi\n\t"                    \
		".cfi_adjust_cfa_offset 8\n\t"     \
		"push %rdx\n\t"                    \
		".cfi_adjust_cfa_offset 8\n\t"     \
		"call load_enter_" #name "\n\t"    \
		"pop %rdx\n\t"                     \
		".cfi_adjust_cfa_offset -8\n\t"    \
		"pop %rsi\n\t"                     \
		".cfi_adjust_cfa_offset -8\n\t"    \
		"pop %rdi\n\t"                     \
		".cfi_adjust_cfa_offset -8\n\t"    \
		"jmp *%rax\n\t"                    \
		".cfi_endproc\n"                   \
		".size " #name ", . - " #name "\n" \
		".popsection");

ENTRY(dlopen)
ENTRY(dlmopen)
ENTRY(dlsym)
ENTRY(dlvsym)
