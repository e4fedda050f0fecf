/*
 * Three arguments at most, in rdi, rsi and rdx.  After three pushes the stack is aligned for a
 * call. rax and r11 are free at a call that is not variadic, and a system call destroys both.
 */
#include "preload/libc/entry.h"

#include <sys/syscall.h>

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
		"call entry_" #name "\n\t"         \
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

ENTRIES(ENTRY)

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
	"jmp entry_syscall\n"
	"1:\tmovb $1, sharing_begun(%rip)\n\t"
	"mov real_syscall(%rip), %r11\n\t"
	"test %r11, %r11\n\t"
	"jz 2f\n\t"
	"jmp *%r11\n"
	"2:\tjmp entry_syscall\n\t"
	".cfi_endproc\n"
	".size syscall, . - syscall\n"
	".popsection");
