/* Any bytes can be read as /proc/kallsyms.  A name that is found is text, and is found again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/symbols/kernel.h"
#include "tests/fuzz/name_tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kernel *kernel;
	FILE *file;

	if (!size)
		return 0;
	file = names_file(data, size);
	kernel = kernel_read(file);
	fclose(file);
	if (!kernel)
		abort();
	for (size_t i = 0; i < NAMES_ADDRESSES; i++) {
		names_use(kernel_find(kernel, names_addresses[i]));
		if (kernel_find(kernel, names_addresses[i]) !=
		    kernel_find(kernel, names_addresses[i]))
			abort();
	}
	kernel_free(kernel);
	return 0;
}
