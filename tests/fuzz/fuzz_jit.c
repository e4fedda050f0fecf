/* Any bytes can be read as the map of a run-time compiler.  A name that is found is text, and is
 * found again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/symbols/jit.h"
#include "tests/fuzz/name_tables.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct jit *jit;
	FILE *file;

	if (!size)
		return 0;
	file = names_file(data, size);
	jit = jit_read(file, NULL, 0);
	fclose(file);
	if (!jit)
		abort();
	for (size_t i = 0; i < NAMES_ADDRESSES; i++) {
		names_use(jit_find(jit, names_addresses[i]));
		if (jit_find(jit, names_addresses[i]) != jit_find(jit, names_addresses[i]))
			abort();
	}
	jit_free(jit);
	return 0;
}
