/* The number is in rdi.  r11 is free at a call, and syscall destroys it anyway. */
#include "preload/calls/syscall_entry.h"

#include <sys/syscall.h>

#include "preload/libc/real.h"
#include "preload/signals/sharing_calls.h"

#define TEXT_OF(number) #number
#define TEXT(number)	TEXT_OF(number)
#define JUMP_IF(number) "cmp $" TEXT(number) ", %rdi\n\tje 1f\n\t"

__asm__(".pushsection .text\n"
	".globl syscall\n"
	".type syscall, @function\n"
	".p2align 4\n"
	"syscall:\n\t"
	".cfi_startproc\n\t"
	"endbr64\n\t"
	/* clang-format off */
	JUMP_IF(SYS_vfork) JUMP_IF(SYS_clone) JUMP_IF(SYS_clone3) JUMP_IF(SYS_fork)
	/* clang-format on */
	"jmp syscall_pass\n"
	"1:\tmovb $1, sharing_begun(%rip)\n\t"
	"mov real_syscall(%rip), %r11\n\t"
	"test %r11, %r11\n\t"
	"jz 2f\n\t"
	"jmp *%r11\n"
	"2:\tjmp syscall_pass\n\t"
	".cfi_endproc\n"
	".size syscall, . - syscall\n"
	".popsection");

/* vfork returns twice: no frame of ours may stay. */
__asm__(".pushsection .text\n"
	".globl vfork\n"
	".type vfork, @function\n"
	".p2align 4\n"
	"vfork:\n\t"
	".cfi_startproc\n\t"
	"endbr64\n\t"
	"sub $8, %rsp\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"call sharing_vfork\n\t"
	"add $8, %rsp\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"jmp *%rax\n\t"
	".cfi_endproc\n"
	".size vfork, . - vfork\n"
	".popsection");
