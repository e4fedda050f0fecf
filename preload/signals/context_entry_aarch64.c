/* The arguments are in x0 and x1.  x16 and x17 are free at a call. */
#include "preload/signals/context_entry.h"

#define ENTRY(name, enter)                       \
	__asm__(".pushsection .text\n"           \
		".globl " name "\n"              \
		".type " name ", %function\n"    \
		".p2align 4\n" name ":\n\t"      \
		".cfi_startproc\n\t"             \
		"hint #34\n\t" /* bti c */       \
		"stp x29, x30, [sp, #-32]!\n\t"  \
		".cfi_def_cfa_offset 32\n\t"     \
		".cfi_offset 29, -32\n\t"        \
		".cfi_offset 30, -24\n\t"        \
		"stp x0, x1, [sp, #16]\n\t"      \
		"bl " enter "\n\t"               \
		"mov x16, x0\n\t"                \
		"ldp x0, x1, [sp, #16]\n\t"      \
		"ldp x29, x30, [sp], #32\n\t"    \
		".cfi_restore 30\n\t"            \
		".cfi_restore 29\n\t"            \
		".cfi_def_cfa_offset 0\n\t"      \
		"br x16\n\t"                     \
		".cfi_endproc\n"                 \
		".size " name ", . - " name "\n" \
		".popsection")

ENTRY("__sigsetjmp", "context_enter_sigsetjmp");
ENTRY("setjmp", "context_enter_setjmp");
ENTRY("getcontext", "context_enter_getcontext");
