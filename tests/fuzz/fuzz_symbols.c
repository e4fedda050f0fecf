/* For any contents of an ELF file: looking addresses up ends and stays inside it. */
#include "runtime/profile/symbols/symbols.h"
#include "runtime/profile/debuginfo/symbols_elf.h"
#include "tests/fuzz/fuzz.h"

/* The bytes are no more than the function has, and no more than the limit. */
static void read_code(const struct symbols *symbols, const struct symbols_found *found)
{
	struct code_bytes code;

	if (code_bytes_read(symbols_file(symbols), found->start, found->end, &code))
		return;
	CHECK(code.count && code.count <= CODE_BYTES_MOST &&
	      code.count <= found->end - found->start);
	free(code.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct symbols_elf_file file = { .path = fuzz_path(data, size) };
	struct symbols *symbols;
	uint64_t last = UINT64_MAX;

	if (symbols_open(&file, &symbols))
		return 0;
	for (uint64_t address = 0; address < 0x5000; address += 8) {
		struct symbols_found found = symbols_find(symbols, address);

		CHECK(found.kind != SYMBOLS_NAMED || found.name[0]);
		CHECK(found.kind == SYMBOLS_UNKNOWN ||
		      (found.start <= address && found.end > address));
		if (found.kind != SYMBOLS_UNKNOWN && found.start != last) {
			last = found.start;
			read_code(symbols, &found);
		}
	}
	symbols_close(symbols);
	return 0;
}
