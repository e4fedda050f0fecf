/*
 * Objects and their tables.  The caller holds unwind_lock, except for unwind_module_has.  All
 * offsets in an object's headers are checked against the mapped part before they are used: damaged
 * unwind information costs a stack, not the process.
 */
#include "runtime/sample/cfi/unwind_module.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/cfi/rule_table.h"

#define PAGE_BYTES  4096ULL
#define HEADERS_MAX 64
#define MODULES_MAX 16
#define GUESSES_MAX 6

static uint64_t program_headers; /* of the executable, from the kernel: where they are … */
static unsigned program_header_count;
static uint64_t executable_start; /* … and what they say is mapped, empty if nothing */
static uint64_t executable_end;

/* The kernel maps each segment of the executable at its address.  If that leaves holes,
 * _dl_find_object treats the segments as separate objects, and the unwind information is in another
 * one than the code. */
static void measure_executable(void)
{
	const Elf64_Phdr *headers = (const Elf64_Phdr *)program_headers;
	uint64_t bias = 0;

	for (unsigned i = 0; i < program_header_count; i++)
		if (headers[i].p_type == PT_PHDR)
			bias = program_headers - headers[i].p_vaddr;
	loader_extent(headers, program_header_count, bias, &executable_start, &executable_end);
}

void unwind_module_start(void)
{
	program_headers = getauxval(AT_PHDR);
	program_header_count = (unsigned)getauxval(AT_PHNUM);
	measure_executable();
	loader_start();
	unwind_module_refresh();
}

void unwind_module_refresh(void)
{
	if (!loader_find_object)
		loader_snapshot_take();
}

/* Finds the object with _dl_find_object, else in the last snapshot.  The link map of the result is
 * not read, because another thread may be freeing it. */
static bool locate(uint64_t address, struct loader_range *object)
{
	struct dl_find_object found;

	if (!loader_find_object)
		return loader_snapshot_find(address, object);
	if (loader_find_object((void *)address, &found))
		return false;
	object->start = (uint64_t)found.dlfo_map_start;
	object->end = (uint64_t)found.dlfo_map_end;
	object->eh_frame = (uint64_t)found.dlfo_eh_frame;
	if (object->start >= executable_start && object->start < executable_end) {
		object->start = executable_start;
		object->end = executable_end;
	}
	return true;
}

bool unwind_module_has(uint64_t address)
{
	struct loader_range object;

	return locate(address, &object);
}

/* Returns the program headers.  Those of the executable are where the kernel says.  Those of a
 * library follow its ELF header, in the first segment; headers elsewhere are not supported. */
static uint64_t headers_of(struct unwind_module *module, unsigned *count)
{
	Elf64_Ehdr file;

	if (program_headers >= module->start && program_headers < module->end) {
		*count = program_header_count;
		return program_headers;
	}
	/* the vDSO ends before its page does */
	if (module->start & (PAGE_BYTES - 1))
		return 0;
	module->faulted = !unwind_memory_read(&file, module->start, sizeof(file));
	if (module->faulted || memcmp(file.e_ident, ELFMAG, SELFMAG) != 0 ||
	    file.e_ident[EI_CLASS] != ELFCLASS64 || file.e_phentsize != sizeof(Elf64_Phdr) ||
	    file.e_phoff > PAGE_BYTES)
		return 0;
	*count = file.e_phnum < HEADERS_MAX ? file.e_phnum : HEADERS_MAX;
	return module->start + file.e_phoff;
}

/* Adds whole pages: the rest of a segment's last page is mapped even beyond the file's end. */
static void add_segment(struct unwind_module *module, const Elf64_Phdr *header, uint64_t bias)
{
	uint64_t low = header->p_vaddr + bias;
	uint64_t size = header->p_memsz;
	struct unwind_segment *segment;

	if (!(header->p_flags & PF_R) || !size)
		return;
	if (low < module->start || low >= module->end || size > module->end - low ||
	    module->segments == UNWIND_MODULE_SEGMENTS)
		return;
	segment = &module->segment[module->segments++];
	segment->low = low & ~(PAGE_BYTES - 1);
	segment->high = (low + size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
	segment->writable = header->p_flags & PF_W;
}

/* The first segment (they are sorted, elf(5)) is mapped at the object's start. */
static void describe(struct unwind_module *module)
{
	unsigned count = 0, loads = 0;
	uint64_t bias = 0, at;
	Elf64_Phdr header;

	module->table = module->rows = 0;
	module->segments = 0;
	module->recent = 0;
	at = headers_of(module, &count);
	for (unsigned i = 0; at && i < count; i++, at += sizeof(header)) {
		if (!unwind_memory_read(&header, at, sizeof(header))) {
			module->faulted = true;
			return;
		}
		if (header.p_type != PT_LOAD)
			continue;
		if (!loads++)
			bias = module->start - (header.p_vaddr & ~(PAGE_BYTES - 1));
		add_segment(module, &header, bias);
	}
}

/* Descriptions, each of which may be replaced.  W, R: the holder of unwind_lock. */
static struct unwind_module modules[MODULES_MAX];
static unsigned next_module;

/* Returns a valid description of that object, or room for one. */
static struct unwind_module *described(const struct loader_range *object, uint64_t generation,
				       bool *known)
{
	*known = true;
	for (unsigned i = 0; i < MODULES_MAX; i++)
		if (modules[i].start == object->start && modules[i].header == object->eh_frame &&
		    modules[i].end == object->end && modules[i].generation == generation)
			return &modules[i];
	*known = false;
	return &modules[next_module++ % MODULES_MAX];
}

struct unwind_module *unwind_module_find(uint64_t address)
{
	uint64_t generation = rule_table_generation();
	struct loader_range object;
	struct unwind_module *module;
	bool known;

	if (!locate(address, &object))
		return NULL;
	module = described(&object, generation, &known);
	module->faulted = false;
	module->copy = NULL; /* other blocks may have been read since */
	if (known)
		return module;
	module->start = object.start;
	module->end = object.end;
	module->header = object.eh_frame;
	describe(module);
	module->generation = generation - module->faulted; /* after a fault: do not find it again */
	return module;
}

static const struct unwind_segment *segment_of(struct unwind_module *module, uint64_t address)
{
	for (unsigned tries = 0; tries < module->segments; tries++) {
		const struct unwind_segment *segment = &module->segment[module->recent];

		if (address >= segment->low && address < segment->high)
			return segment;
		module->recent = (module->recent + 1) % module->segments;
	}
	return NULL;
}

bool unwind_module_copy(struct unwind_module *module, void *to, uint64_t address, unsigned size)
{
	const struct unwind_segment *segment = segment_of(module, address);
	uint64_t last = address + size - 1;

	module->copy = NULL;
	if (!segment || segment->high - address < size)
		return false;
	if (!unwind_memory_read(to, address, size)) {
		module->faulted = true;
		return false;
	}
	module->copied = last - last % UNWIND_MEMORY_BLOCK;
	module->copy = unwind_memory_block(last);
	return true;
}

bool unwind_module_code(void *to, uint64_t address, unsigned size)
{
	struct unwind_module *module = unwind_module_find(address);
	const struct unwind_segment *segment = module ? segment_of(module, address) : NULL;

	return segment && !segment->writable && unwind_module_copy(module, to, address, size);
}

unsigned unwind_module_pointer_bytes(unsigned encoding)
{
	static const uint8_t bytes[16] = {
		[0x00] = 8, [0x02] = 2, [0x03] = 4, [0x04] = 8, [0x0a] = 2, [0x0b] = 4, [0x0c] = 8,
	};

	return bytes[encoding & 0x0f];
}

/* The sorted table behind .eh_frame_hdr: pairs of 32-bit offsets from the header. */
static bool find_table(struct unwind_module *module)
{
	uint8_t header[16];
	uint32_t rows;
	uint64_t room;
	unsigned skip;

	if (module->table)
		return true;
	if (!module->header || (module->header & 3) ||
	    !unwind_module_copy(module, header, module->header, sizeof(header)))
		return false;
	skip = unwind_module_pointer_bytes(header[1]);
	if (header[0] != 1 || skip < 4 || header[2] != 0x03 || header[3] != 0x3b)
		return false;
	memcpy(&rows, header + 4 + skip, sizeof(rows));
	room = segment_of(module, module->header)->high - module->header - 8 - skip;
	if (rows > room / 8)
		return false;
	module->table = module->header + 8 + skip;
	module->rows = rows;
	return true;
}

/* Returns the first number of a row.  A row that cannot be read sorts above all. */
static int64_t row_start(struct unwind_module *module, uint64_t row)
{
	uint64_t at = module->table + row * 8 - module->copied;
	int32_t start;

	if (module->copy && at <= UNWIND_MEMORY_BLOCK - sizeof(start)) {
		memcpy(&start, module->copy + at, sizeof(start));
		return start;
	}
	return unwind_module_copy(module, &start, module->table + row * 8, sizeof(start))
		       ? start
		       : INT64_MAX;
}

/* Binary-search bounds: the first row past the target is neither before `low` nor after `high`.
 * Rows below and above start at the offsets `below` and `above`, exactly or about. */
struct search {
	uint64_t low;
	uint64_t high;
	int64_t below;
	int64_t above;
};

/* True if the row starts above the offset. */
static bool narrow(struct unwind_module *module, struct search *search, uint64_t row,
		   int64_t offset)
{
	int64_t start = row_start(module, row);

	if (offset < start) {
		search->high = row;
		search->above = start;
		return true;
	}
	search->low = row + 1;
	search->below = start;
	return false;
}

/* Estimates the position as if functions were spread evenly. */
static uint64_t guess(const struct search *search, int64_t offset)
{
	uint64_t rows = search->high - search->low;
	uint64_t span = (uint64_t)(search->above - search->below);
	uint64_t part = (uint64_t)(offset - search->below);

	if (offset < search->below || offset >= search->above || span > UINT32_MAX)
		return search->low + rows / 2;
	return search->low + part * rows / span;
}

/* Each block of the table that must be read costs as much as the search.  So all questions about
 * one block are asked while it is at hand. */
static void search_rows(struct unwind_module *module, struct search *search, int64_t offset)
{
	for (unsigned tries = 0; search->low < search->high; tries++) {
		uint64_t row = tries < GUESSES_MAX ? guess(search, offset)
						   : (search->low + search->high) / 2;
		uint64_t first = row - (module->table + row * 8) % UNWIND_MEMORY_BLOCK / 8;
		uint64_t last = first + UNWIND_MEMORY_BLOCK / 8 - 1;

		if (first > row || first < search->low)
			first = search->low;
		if (last >= search->high)
			last = search->high - 1;
		if (narrow(module, search, first, offset) || first == last ||
		    !narrow(module, search, last, offset))
			continue;
		while (search->low < search->high)
			narrow(module, search, (search->low + search->high) / 2, offset);
	}
}

bool unwind_module_entry(struct unwind_module *module, uint64_t address, struct unwind_entry *entry)
{
	int64_t offset = (int64_t)(address - module->header);
	struct search search = { .below = INT32_MIN, .above = INT32_MAX };
	const struct unwind_segment *segment;

	entry->next = 0;
	if (!find_table(module))
		return false;
	segment = segment_of(module, address);
	search.high = module->rows;
	if (segment) {
		search.below = (int64_t)(segment->low - module->header);
		search.above = (int64_t)(segment->high - module->header);
	}
	search_rows(module, &search, offset);
	if (search.low < module->rows)
		entry->next = module->header + (uint64_t)row_start(module, search.low);
	if (!search.low)
		return false;
	entry->at = module->table + (search.low - 1) * 8;
	entry->start = module->header + (uint64_t)row_start(module, search.low - 1);
	return true;
}
