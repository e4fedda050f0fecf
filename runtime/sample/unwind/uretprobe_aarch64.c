/* brk #5 */
#include "runtime/sample/unwind/uretprobe.h"

const struct uretprobe_code uretprobe_codes[] = {
	{ 4, { 0xa0, 0x00, 0x20, 0xd4 } },
};
unsigned uretprobe_words(uint64_t pc)
{
	(void)pc; /* it continues at the function's return address */
	return 0;
}

const size_t uretprobe_count = sizeof(uretprobe_codes) / sizeof(uretprobe_codes[0]);
