/* Any bytes can be read as the map of a run-time compiler; a name that is found is text, and found
 * again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/jit.h"

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
	struct jit *jit;
	FILE *file;

	if (!size)
		return 0;
	file = fmemopen((void *)(uintptr_t)data, size, "r");
	if (!file)
		abort();
	jit = jit_read(file, NULL, 0);
	fclose(file);
	if (!jit)
		abort();
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		use(jit_find(jit, addresses[i]));
		if (jit_find(jit, addresses[i]) != jit_find(jit, addresses[i]))
			abort();
	}
	jit_free(jit);
	return 0;
}
