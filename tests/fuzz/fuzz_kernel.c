/* Any bytes can be read as /proc/kallsyms; a name that is found is text, and found
 * again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/kernel.h"

static void use(const char *name)
{
	/* Reads every byte of it. */
	if (name && strlen(name) > (size_t)1 << 30)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t addresses[] = {
		0, 1, 0x1000, 0x1fff, 0x401000, 0xffffffff81000010, 0xffffffffc0000000, UINT64_MAX,
	};
	struct kernel *kernel;
	FILE *file;

	if (!size)
		return 0;
	file = fmemopen((void *)(uintptr_t)data, size, "r");
	if (!file)
		abort();
	kernel = kernel_read(file);
	fclose(file);
	if (!kernel)
		abort();
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		use(kernel_find(kernel, addresses[i]));
		if (kernel_find(kernel, addresses[i]) != kernel_find(kernel, addresses[i]))
			abort();
	}
	kernel_free(kernel);
	return 0;
}
