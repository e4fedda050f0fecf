/* Any bytes can be read as /proc/kallsyms.  A name that is found is text, and is found again. */
#include "runtime/profile/symbols/kernel.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = fuzz_file(data, size);
	struct kernel *kernel = kernel_read(file);

	fclose(file);
	CHECK(kernel);
	for (size_t i = 0; i < NAMES_ADDRESSES; i++) {
		names_use(kernel_find(kernel, names_addresses[i]));
		CHECK(kernel_find(kernel, names_addresses[i]) ==
		      kernel_find(kernel, names_addresses[i]));
	}
	kernel_free(kernel);
	return 0;
}
