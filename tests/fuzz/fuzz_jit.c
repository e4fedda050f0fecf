/* Any bytes can be read as the map of a run-time compiler.  A name that is found is text, and is
 * found again. */
#include "runtime/profile/symbols/jit.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = fuzz_file(data, size);
	struct jit *jit = jit_read(file, NULL, 0);

	fclose(file);
	CHECK(jit);
	for (size_t i = 0; i < NAMES_ADDRESSES; i++) {
		names_use(jit_find(jit, names_addresses[i]));
		CHECK(jit_find(jit, names_addresses[i]) == jit_find(jit, names_addresses[i]));
	}
	jit_free(jit);
	return 0;
}
