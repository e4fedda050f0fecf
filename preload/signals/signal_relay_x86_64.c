/*
 * An entry puts its number into eax, which tells no handler anything.  The kernel's frame is a
 * return address and, right above it, the context, to which rdx points.  The handler is jumped to
 * with its arguments, at the same stack pointer.  A return to the changed context is a system call
 * with the stack pointer at the context.
 */
#include "preload/signals/signal_relay.h"

#define ENTRY_BYTES 16

_Static_assert(SIGNAL_RELAY_MOST == 64, "as many as the assembler makes");

extern const char signal_relay_first[] __attribute__((visibility("hidden")));

__asm__(".pushsection .text\n"
	".globl signal_relay_first\n"
	".hidden signal_relay_first\n"
	".type signal_relay_first, @function\n"
	".p2align 4\n"
	"signal_relay_first:\n\t"
	".cfi_startproc\n\t"
	".set number, 0\n\t"
	".rept 64\n\t"
	".p2align 4\n\t"
	"endbr64\n\t"
	"mov $number, %eax\n\t"
	"jmp signal_relay_common\n\t"
	".set number, number + 1\n\t"
	".endr\n\t"
	".p2align 4\n"
	"signal_relay_common:\n\t"
	"lea 8(%rsp), %r9\n\t"
	"xor %ecx, %ecx\n\t"
	"cmp %r9, %rdx\n\t"
	"sete %cl\n\t"
	"mov %eax, %r8d\n\t"
	"push %rdi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"push %rsi\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"push %rdx\n\t"
	".cfi_adjust_cfa_offset 8\n\t"
	"call signal_relay_choose\n\t"
	"pop %rdx\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"pop %rsi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"pop %rdi\n\t"
	".cfi_adjust_cfa_offset -8\n\t"
	"mov %rax, %r11\n\t"
	"xor %eax, %eax\n\t"
	"test %r11, %r11\n\t"
	"je 1f\n\t"
	"jmp *%r11\n"
	"1:\n\t"
	"add $8, %rsp\n\t"
	"mov $15, %eax\n\t" /* rt_sigreturn, not by the code of the target */
	"syscall\n\t"
	".cfi_endproc\n"
	".size signal_relay_first, . - signal_relay_first\n"
	".popsection");

struct signal_relay_entries signal_relay_entries(void)
{
	return (struct signal_relay_entries){
		.first = (uint64_t)(uintptr_t)signal_relay_first,
		.count = SIGNAL_RELAY_MOST,
		.bytes = ENTRY_BYTES,
	};
}
