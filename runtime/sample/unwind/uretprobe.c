/*
 * Only the trampoline is at the start of a page, is a return address, and begins with a breakpoint.
 * The page lies in no module, so the kernel is asked first whether it can be read.
 */
#include "runtime/sample/unwind/uretprobe.h"

#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/sys/poison.h"

#define PAGE_BYTES 4096

bool uretprobe_took(uint64_t pc)
{
	const void *code = (const void *)(pc + 1); /* NOLINT(performance-no-int-to-ptr) */

	if ((pc + 1) % PAGE_BYTES || !memory_is_readable(pc + 1))
		return false;
	for (size_t i = 0; i < uretprobe_count; i++)
		if (!memcmp(code, uretprobe_codes[i].byte, uretprobe_codes[i].bytes))
			return true;
	return false;
}
