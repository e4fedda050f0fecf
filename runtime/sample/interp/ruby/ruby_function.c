/*
 * The table in .eh_frame_hdr has one entry for each function, sorted by address: where a function
 * ends is where the next one begins.
 */
#include "runtime/sample/interp/ruby/ruby_function.h"

#include <elf.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/sys/poison.h"

#define HEADERS_MAX 32

/* .eh_frame_hdr as every linker writes it, with addresses relative to itself (LSB 5.0, 10.6.2). */
struct table_header {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frame;
	uint32_t count;
};

struct table_entry {
	int32_t function, description;
};

static bool find_table(uint64_t start, uint64_t *table)
{
	Elf64_Ehdr file;
	Elf64_Phdr header;
	uint64_t first = UINT64_MAX;

	if (!memory_copy(&file, start, sizeof(file)) || file.e_phnum > HEADERS_MAX)
		return false;
	*table = 0;
	for (unsigned i = 0; i < file.e_phnum; i++) {
		if (!memory_copy(&header, start + file.e_phoff + i * sizeof(header),
				 sizeof(header)))
			return false;
		if (header.p_type == PT_LOAD && header.p_vaddr < first)
			first = header.p_vaddr;
		if (header.p_type == PT_GNU_EH_FRAME)
			*table = header.p_vaddr;
	}
	*table += start - (first & ~4095ULL);
	return *table > start;
}

static bool read_entry(uint64_t table, uint32_t number, uint64_t *function)
{
	struct table_entry entry;

	if (!memory_copy(&entry, table + sizeof(struct table_header) + number * sizeof(entry),
			 sizeof(entry)))
		return false;
	*function = table + (uint64_t)(int64_t)entry.function;
	return true;
}

bool ruby_function_bounds(uint64_t start, uint64_t address, uint64_t *low, uint64_t *high)
{
	struct table_header header;
	uint64_t table, middle;
	uint32_t first = 0, last;

	if (!find_table(start, &table) || !memory_copy(&header, table, sizeof(header)) ||
	    header.version != 1 || header.count_encoding != 0x03 || header.table_encoding != 0x3b ||
	    !header.count)
		return false;
	for (last = header.count; last - first > 1;) {
		uint32_t number = first + (last - first) / 2;

		if (!read_entry(table, number, &middle))
			return false;
		if (middle <= address)
			first = number;
		else
			last = number;
	}
	return last < header.count && read_entry(table, first, low) &&
	       read_entry(table, last, high) && *low <= address && address < *high;
}
