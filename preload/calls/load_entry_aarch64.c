/* Three arguments, in x0 to x2; x30 is the return address. */
#include "preload/calls/load_entry.h"

#define ENTRY(name)                                \
	__asm__(".pushsection .text\n"             \
		".globl " #name "\n"               \
		".type " #name ", %function\n"     \
		".p2align 4\n" #name ":\n\t"       \
		".cfi_startproc\n\t"               \
		"hint #34\n\t" /* bti c */         \
		"stp x0, x1, [sp, #-32]!\n\t"      \
		".cfi_def_cfa_offset 32\n\t"       \
		"stp x2, x30, [sp, #16]\n\t"       \
		".cfi_offset 30, -8\n\t"           \
		"bl load_enter_" #name "\n\t"      \
		"mov x16, x0\n\t"                  \
		"ldp x2, x30, [sp, #16]\n\t"       \
		"ldp x0, x1, [sp], #32\n\t"        \
		".cfi_def_cfa_offset 0\n\t"        \
		".cfi_restore 30\n\t"              \
		"br x16\n\t"                       \
		".cfi_endproc\n"                   \
		".size " #name ", . - " #name "\n" \
		".popsection");

ENTRY(dlopen)
ENTRY(dlmopen)
ENTRY(dlsym)
ENTRY(dlvsym)
