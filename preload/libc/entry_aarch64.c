/*
 * Three arguments at most, in x0 to x2; x30 is the return address.  The number of a system call is
 * in x0.  x16 and x17 are free at a call.
 */
#include "preload/libc/entry.h"

#include <sys/syscall.h>

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
		"bl entry_" #name "\n\t"           \
		"mov x16, x0\n\t"                  \
		"ldp x2, x30, [sp, #16]\n\t"       \
		"ldp x0, x1, [sp], #32\n\t"        \
		".cfi_def_cfa_offset 0\n\t"        \
		".cfi_restore 30\n\t"              \
		"br x16\n\t"                       \
		".cfi_endproc\n"                   \
		".size " #name ", . - " #name "\n" \
		".popsection");

ENTRIES(ENTRY)

#define TEXT_OF(number) #number
#define TEXT(number)	TEXT_OF(number)
#define JUMP_IF(number) "mov x16, #" TEXT(number) "\n\tcmp x0, x16\n\tb.eq 1f\n\t"

__asm__(".pushsection .text\n"
	".globl syscall\n"
	".type syscall, %function\n"
	".p2align 4\n"
	"syscall:\n\t"
	".cfi_startproc\n\t"
	"hint #34\n\t" /* bti c */
	/* clang-format off */
	JUMP_IF(SYS_clone) JUMP_IF(SYS_clone3)
	/* clang-format on */
	"b entry_syscall\n"
	"1:\tadrp x16, sharing_begun\n\t"
	"mov w17, #1\n\t"
	"strb w17, [x16, #:lo12:sharing_begun]\n\t"
	"adrp x16, real_syscall\n\t"
	"ldr x16, [x16, #:lo12:real_syscall]\n\t"
	"cbz x16, 2f\n\t"
	"br x16\n"
	"2:\tb entry_syscall\n\t"
	".cfi_endproc\n"
	".size syscall, . - syscall\n"
	".popsection");
