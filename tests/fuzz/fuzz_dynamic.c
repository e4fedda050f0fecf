/* For any contents of a loaded object: looking a symbol up ends, and reads nothing outside of it.
 */
#include "runtime/sample/elf/elf_dynamic.h"
#include "runtime/sample/elf/memory.h"
#include "tests/fuzz/fuzz.h"

#define AREA_BYTES 16384UL

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[] = { "mark", "_PyRuntime", "" };
	static struct elf_dynamic dynamic;
	static uint8_t *area;
	struct elf_dynamic_symbol symbol;
	uint64_t start;

	if (!area) {
		area = mmap(NULL, AREA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			    -1, 0);
		memory_start();
	}
	CHECK(area != MAP_FAILED);
	memset(area, 0, AREA_BYTES);
	memcpy(area, data, size < AREA_BYTES ? size : AREA_BYTES);
	start = (uint64_t)(uintptr_t)area;
	if (!elf_dynamic_open(&dynamic, start, start + AREA_BYTES))
		return 0;
	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		elf_dynamic_find(&dynamic, names[i], &symbol);
	for (unsigned i = 0; i < ELF_DYNAMIC_PAGES; i++)
		CHECK(!dynamic.page[i] || dynamic.page[i] - start < AREA_BYTES);
	return 0;
}
