/* Any bytes can be read as a jitdump file.  A name that is found at an address is text, and is
 * found again. */
#include "runtime/profile/symbols/jit.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *file = fuzz_file(data, size);
	struct jit *jit = jit_read(NULL, file, 77);

	fclose(file);
	CHECK(jit);
	for (size_t at = 0; at + 8 <= size; at += 4) {
		const char *text = NULL;
		uint64_t address;
		uint32_t line;

		memcpy(&address, data + at, sizeof(address));
		names_use(jit_find(jit, address));
		if (jit_line(jit, address, &text, &line))
			names_use(text);
	}
	jit_free(jit);
	return 0;
}
