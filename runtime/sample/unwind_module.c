/*
 * Objects and their tables.  Whoever calls, but for unwind_module_has, holds the gate.  All
 * offsets in an object's headers are checked against what is mapped of it before they are used:
 * damaged unwind information costs a stack, not the process.
 */
#include "runtime/sample/unwind_module.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "runtime/sample/rule_table.h"
#include "runtime/sample/unwind_range.h"
#include "runtime/sample/unwind_snapshot.h"

#define PAGE_BYTES 4096ULL
#define PAGES_LOG  10

/* The layout of glibc 2.35's struct dl_find_object, so that older headers will do. */
struct found_object {
	unsigned long long flags;
	void *map_start;
	void *map_end;
	struct link_map *link_map;
	void *eh_frame; /* PT_GNU_EH_FRAME: .eh_frame_hdr */
	unsigned long long reserved[8];
};

typedef int find_object_fn(void *address, struct found_object *result);

/*
 * Pages that were seen readable, by address and generation: a segment that the headers call
 * readable may have been taken away again, and the first read of it would then be a fault.
 * W, R: the holder of the gate.
 */
static uint64_t readable_page[1 << PAGES_LOG];

static find_object_fn *find_object;
static const Elf64_Phdr *program_headers; /* of the executable, from the kernel */
static unsigned program_header_count;
static struct unwind_object executable; /* from the same; empty where they do not say */

/*
 * The kernel maps each segment of the executable where it belongs; where that leaves holes,
 * _dl_find_object knows the segments as so many objects, and the unwind information is in
 * another one than the code.
 */
static void measure_executable(void)
{
	executable.start = UINT64_MAX;
	executable.end = 0;
	for (unsigned i = 0; i < program_header_count; i++)
		if (program_headers[i].p_type == PT_PHDR)
			executable.bias = (uint64_t)program_headers - program_headers[i].p_vaddr;
	for (unsigned i = 0; i < program_header_count; i++) {
		const Elf64_Phdr *header = &program_headers[i];
		uint64_t low = (executable.bias + header->p_vaddr) & ~(PAGE_BYTES - 1);

		if (header->p_type != PT_LOAD)
			continue;
		if (low < executable.start)
			executable.start = low;
		if (executable.bias + header->p_vaddr + header->p_memsz > executable.end)
			executable.end = executable.bias + header->p_vaddr + header->p_memsz;
	}
}

void unwind_module_start(void)
{
	program_headers = (const Elf64_Phdr *)getauxval(AT_PHDR);
	program_header_count = (unsigned)getauxval(AT_PHNUM);
	measure_executable();
	find_object = (find_object_fn *)dlsym(RTLD_DEFAULT, "_dl_find_object");
	unwind_module_refresh();
}

void unwind_module_refresh(void)
{
	if (!find_object)
		unwind_snapshot_take();
}

/* With _dl_find_object, else from what was last seen. */
UNWIND_RAW static bool locate(uint64_t address, struct unwind_object *object)
{
	struct found_object found;

	if (!find_object)
		return unwind_snapshot_find(address, object);
	if (find_object((void *)address, &found))
		return false;
	object->start = (uint64_t)found.map_start;
	object->end = (uint64_t)found.map_end;
	object->bias = found.link_map->l_addr;
	object->eh_frame = (uint64_t)found.eh_frame;
	if (object->bias == executable.bias && object->start >= executable.start &&
	    object->start < executable.end) {
		object->start = executable.start;
		object->end = executable.end;
	}
	return true;
}

bool unwind_module_has(uint64_t address)
{
	struct unwind_object object;

	return locate(address, &object);
}

static bool is_readable(uint64_t address)
{
	uint64_t page = address & ~(PAGE_BYTES - 1);
	uint64_t key = rule_table_key(page, rule_table_generation()) | 1; /* no key is 0 */
	uint64_t at = page * 0x9e3779b97f4a7c15ULL >> (64 - PAGES_LOG);

	if (readable_page[at] == key)
		return true;
	if (!unwind_range_readable(page))
		return false;
	readable_page[at] = key;
	return true;
}

/*
 * The headers of the executable are where the kernel says; those of a library follow its ELF
 * header, which the first segment maps.  One that keeps them elsewhere is not understood.
 */
UNWIND_RAW static const Elf64_Phdr *headers_of(const struct unwind_module *module, unsigned *count)
{
	const Elf64_Ehdr *file = (const Elf64_Ehdr *)module->start;
	uint64_t kernel = (uint64_t)program_headers;

	if (!is_readable(module->start))
		return NULL;
	if (kernel >= module->start && kernel < module->end && is_readable(kernel)) {
		*count = program_header_count;
		return program_headers;
	}
	/* the vDSO ends before its page does */
	if (module->start & (PAGE_BYTES - 1) ||
	    *(const uint32_t *)file->e_ident != *(const uint32_t *)(const void *)ELFMAG ||
	    file->e_ident[EI_CLASS] != ELFCLASS64 || file->e_phentsize != sizeof(Elf64_Phdr))
		return NULL;
	if (file->e_phoff > PAGE_BYTES || (file->e_phoff & 7) ||
	    file->e_phnum > (PAGE_BYTES - file->e_phoff) / sizeof(Elf64_Phdr))
		return NULL;
	*count = file->e_phnum;
	return (const Elf64_Phdr *)(module->start + file->e_phoff);
}

/* Whole pages: what the file does not fill of a segment's last page is mapped all the same. */
UNWIND_RAW static void add_segment(struct unwind_module *module, const Elf64_Phdr *header,
				   uint64_t bias)
{
	uint64_t low = header->p_vaddr + bias;
	uint64_t size = header->p_memsz;
	struct unwind_segment *segment;

	if (header->p_type != PT_LOAD || !(header->p_flags & PF_R) || !size)
		return;
	if (low < module->start || low >= module->end || size > module->end - low ||
	    module->segments == UNWIND_MODULE_SEGMENTS)
		return;
	segment = &module->segment[module->segments++];
	segment->low = low & ~(PAGE_BYTES - 1);
	segment->high = (low + size + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1);
}

UNWIND_RAW bool unwind_module_find(struct unwind_module *module, uint64_t address)
{
	struct unwind_object object;
	const Elf64_Phdr *header;
	unsigned count = 0;

	if (!locate(address, &object))
		return false;
	module->start = object.start;
	module->end = object.end;
	module->header = object.eh_frame;
	module->segments = 0;
	module->recent = 0;
	module->readable_page = 0;
	header = headers_of(module, &count);
	for (unsigned i = 0; header && i < count; i++)
		add_segment(module, &header[i], object.bias);
	return true;
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

/* True if size bytes, not more than a page, may be read. */
static bool may_read(struct unwind_module *module, uint64_t address, unsigned size)
{
	const struct unwind_segment *segment = segment_of(module, address);
	uint64_t last = address + size - 1;
	uint64_t page = last & ~(PAGE_BYTES - 1);

	if (!segment || segment->high - address < size)
		return false;
	if (page == module->readable_page && address >= page)
		return true;
	if (!is_readable(address) || !is_readable(last))
		return false;
	module->readable_page = page;
	return true;
}

UNWIND_RAW bool unwind_module_read(struct unwind_module *module, uint64_t address, uint64_t *word)
{
	if (!may_read(module, address, sizeof(*word)))
		return false;
	*word = *(const uint64_t *)address;
	return true;
}

/* Bytes of an encoded pointer; 0: an encoding no linker writes here (LSB core, .eh_frame). */
static unsigned pointer_bytes(unsigned encoding)
{
	switch (encoding & 0x0f) {
	case 0x03: /* udata4 */
	case 0x0b: /* sdata4 */
		return 4;
	case 0x00: /* absptr */
	case 0x04: /* udata8 */
	case 0x0c: /* sdata8 */
		return 8;
	default:
		return 0;
	}
}

/* The sorted table behind .eh_frame_hdr: pairs of 32-bit offsets from the header.  0: none. */
UNWIND_RAW static uint64_t table_of(struct unwind_module *module, uint64_t *count)
{
	const uint8_t *header = (const uint8_t *)module->header;
	uint64_t room;
	unsigned skip;

	if (!header || (module->header & 3) || !may_read(module, module->header, 16))
		return 0;
	skip = pointer_bytes(header[1]);
	if (header[0] != 1 || !skip || header[2] != 0x03 || header[3] != 0x3b)
		return 0;
	*count = *(const uint32_t *)(header + 4 + skip);
	room = segment_of(module, module->header)->high - module->header - 8 - skip;
	return *count <= room / 8 ? module->header + 8 + skip : 0;
}

/* First number of a row; what cannot be read sorts as if above all. */
UNWIND_RAW static int64_t row_start(struct unwind_module *module, uint64_t table, uint64_t row)
{
	uint64_t at = table + row * 8;

	return may_read(module, at, 8) ? *(const int32_t *)at : INT64_MAX;
}

bool unwind_module_entry(struct unwind_module *module, uint64_t address, struct unwind_entry *entry)
{
	uint64_t low = 0;
	uint64_t high = 0;
	uint64_t count = 0;
	uint64_t table = table_of(module, &count);
	int64_t offset = (int64_t)(address - module->header);

	entry->next = 0;
	if (!table)
		return false;
	high = count;
	while (low < high) {
		uint64_t middle = (low + high) / 2;

		if (offset < row_start(module, table, middle))
			high = middle;
		else
			low = middle + 1;
	}
	if (low < count)
		entry->next = module->header + (uint64_t)row_start(module, table, low);
	if (!low)
		return false;
	entry->at = table + (low - 1) * 8;
	entry->start = module->header + (uint64_t)row_start(module, table, low - 1);
	return true;
}
