/*
 * The trampoline is int3; or, since Linux 6.11, push %rax, %rcx, %r11 and uretprobe(2), which
 * replaces %rax on the stack with the return address; then pop %r11, %rcx, ret.
 */
#include "runtime/sample/unwind/uretprobe.h"

const struct uretprobe_code uretprobe_codes[] = {
	{ 1, { 0xcc } },
	{ 7, { 0x50, 0x51, 0x41, 0x53, 0x48, 0xc7, 0xc0 } },
};
const size_t uretprobe_count = sizeof(uretprobe_codes) / sizeof(uretprobe_codes[0]);

#define AFTER_CALL  13
#define AFTER_R11   15
#define AFTER_RCX   16
#define PAGE_OFFSET 4095ULL

unsigned uretprobe_words(uint64_t pc)
{
	uint64_t at = pc & PAGE_OFFSET;

	if ((at != AFTER_CALL && at != AFTER_R11 && at != AFTER_RCX) ||
	    !uretprobe_took(pc - at - 1))
		return 0;
	return at == AFTER_CALL ? 3 : at == AFTER_R11 ? 2 : 1;
}
