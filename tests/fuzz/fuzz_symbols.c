/* For any contents of an ELF file: looking addresses up ends and stays inside it. */
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/fold/symbols/symbols.h"
#include "runtime/fold/symbols/symbols_elf.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct symbols_elf_file file = { 0 };
	struct symbols *symbols;
	char path[32];

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	CHECK(fd >= 0 && !ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	file.path = path;
	if (symbols_open(&file, &symbols))
		return 0;
	for (uint64_t address = 0; address < 0x5000; address += 8) {
		struct symbols_found found = symbols_find(symbols, address);

		CHECK(found.kind != SYMBOLS_NAMED || found.name[0]);
		CHECK(found.kind == SYMBOLS_UNKNOWN || found.start <= address);
	}
	symbols_close(symbols);
	return 0;
}
