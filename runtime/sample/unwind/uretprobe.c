/*
 * Only the trampoline is at the start of a page, is a return address, and begins with a breakpoint.
 * The page lies in no module, so the kernel is asked first whether it can be read.
 *
 * On x86-64 the breakpoint is int3; or, since Linux 6.11, push %rax, %rcx, %r11 and uretprobe(2),
 * which replaces %rax on the stack with the return address; then pop %r11, %rcx, ret.
 */
#include "runtime/sample/unwind/unwind_step.h"

#include <stddef.h>
#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/sys/poison.h"

#define PAGE_BYTES 4096ULL

/* The first instructions of a trampoline. */
static const struct {
	size_t bytes;
	uint8_t byte[8];
} codes[] = {
#if defined(__aarch64__)
	{ 4, { 0xa0, 0x00, 0x20, 0xd4 } }, /* brk #5 */
#else
	{ 1, { 0xcc } },
	{ 7, { 0x50, 0x51, 0x41, 0x53, 0x48, 0xc7, 0xc0 } },
#endif
};

bool uretprobe_took(uint64_t pc)
{
	const void *code = (const void *)(pc + 1); /* NOLINT(performance-no-int-to-ptr) */

	if ((pc + 1) % PAGE_BYTES || !memory_is_readable(pc + 1))
		return false;
	for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
		if (!memcmp(code, codes[i].byte, codes[i].bytes))
			return true;
	return false;
}

#if defined(__x86_64__)

#define AFTER_CALL 13
#define AFTER_R11  15
#define AFTER_RCX  16

unsigned uretprobe_words(uint64_t pc)
{
	uint64_t at = pc % PAGE_BYTES;

	if ((at != AFTER_CALL && at != AFTER_R11 && at != AFTER_RCX) ||
	    !uretprobe_took(pc - at - 1))
		return 0;
	return at == AFTER_CALL ? 3 : at == AFTER_R11 ? 2 : 1;
}

#endif
