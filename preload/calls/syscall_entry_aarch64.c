/* The number is in x0.  x16 and x17 are free at a call. */
#include "preload/calls/syscall_entry.h"

#include <sys/syscall.h>

#include "preload/libc/real.h"
#include "preload/signals/sharing_calls.h"

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
	"b syscall_pass\n"
	"1:\tadrp x16, sharing_begun\n\t"
	"mov w17, #1\n\t"
	"strb w17, [x16, #:lo12:sharing_begun]\n\t"
	"adrp x16, real_syscall\n\t"
	"ldr x16, [x16, #:lo12:real_syscall]\n\t"
	"cbz x16, 2f\n\t"
	"br x16\n"
	"2:\tb syscall_pass\n\t"
	".cfi_endproc\n"
	".size syscall, . - syscall\n"
	".popsection");

/* vfork returns twice: no frame of ours may stay. */
__asm__(".pushsection .text\n"
	".globl vfork\n"
	".type vfork, %function\n"
	".p2align 4\n"
	"vfork:\n\t"
	".cfi_startproc\n\t"
	"hint #34\n\t" /* bti c */
	"stp x29, x30, [sp, #-16]!\n\t"
	".cfi_def_cfa_offset 16\n\t"
	".cfi_offset 29, -16\n\t"
	".cfi_offset 30, -8\n\t"
	"bl sharing_vfork\n\t"
	"ldp x29, x30, [sp], #16\n\t"
	".cfi_restore 30\n\t"
	".cfi_restore 29\n\t"
	".cfi_def_cfa_offset 0\n\t"
	"mov x16, x0\n\t"
	"br x16\n\t"
	".cfi_endproc\n"
	".size vfork, . - vfork\n"
	".popsection");
