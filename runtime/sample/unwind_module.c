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
#include <string.h>
#include <sys/auxv.h>

#include "runtime/sample/unwind_memory.h"
#include "runtime/sample/unwind_snapshot.h"

#define PAGE_BYTES  4096ULL
#define HEADERS_MAX 64

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

static find_object_fn *find_object;
static uint64_t program_headers; /* of the executable, from the kernel: where they are … */
static unsigned program_header_count;
static uint64_t executable_start; /* … and what they say is mapped, empty if nothing */
static uint64_t executable_end;

/*
 * The kernel maps each segment of the executable where it belongs; where that leaves holes,
 * _dl_find_object knows the segments as so many objects, and the unwind information is in
 * another one than the code.
 */
static void measure_executable(void)
{
	const Elf64_Phdr *headers = (const Elf64_Phdr *)program_headers;
	uint64_t bias = 0;

	executable_start = UINT64_MAX;
	executable_end = 0;
	for (unsigned i = 0; i < program_header_count; i++)
		if (headers[i].p_type == PT_PHDR)
			bias = program_headers - headers[i].p_vaddr;
	for (unsigned i = 0; i < program_header_count; i++) {
		uint64_t low = bias + headers[i].p_vaddr;

		if (headers[i].p_type != PT_LOAD)
			continue;
		if (low < executable_start)
			executable_start = low & ~(PAGE_BYTES - 1);
		if (low + headers[i].p_memsz > executable_end)
			executable_end = low + headers[i].p_memsz;
	}
}

void unwind_module_start(void)
{
	program_headers = getauxval(AT_PHDR);
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

/* With _dl_find_object, else from what was last seen.  The link map it names is left alone:
 * another thread may be freeing it. */
static bool locate(uint64_t address, struct unwind_object *object)
{
	struct found_object found;

	if (!find_object)
		return unwind_snapshot_find(address, object);
	if (find_object((void *)address, &found))
		return false;
	object->start = (uint64_t)found.map_start;
	object->end = (uint64_t)found.map_end;
	object->eh_frame = (uint64_t)found.eh_frame;
	if (object->start >= executable_start && object->start < executable_end) {
		object->start = executable_start;
		object->end = executable_end;
	}
	return true;
}

bool unwind_module_has(uint64_t address)
{
	struct unwind_object object;

	return locate(address, &object);
}

/*
 * The headers of the executable are where the kernel says; those of a library follow its ELF
 * header, which the first segment maps.  One that keeps them elsewhere is not understood.
 */
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

/* Whole pages: what the file does not fill of a segment's last page is mapped all the same. */
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
}

/* The first of the segments, which are sorted (elf(5)), is mapped at the object's start. */
bool unwind_module_find(struct unwind_module *module, uint64_t address)
{
	struct unwind_object object;
	unsigned count = 0, loads = 0;
	uint64_t bias = 0, at;
	Elf64_Phdr header;

	if (!locate(address, &object))
		return false;
	module->start = object.start;
	module->end = object.end;
	module->header = object.eh_frame;
	module->segments = 0;
	module->recent = 0;
	module->faulted = false;
	at = headers_of(module, &count);
	for (unsigned i = 0; at && i < count; i++, at += sizeof(header)) {
		if (!unwind_memory_read(&header, at, sizeof(header))) {
			module->faulted = true;
			break;
		}
		if (header.p_type != PT_LOAD)
			continue;
		if (!loads++)
			bias = object.start - (header.p_vaddr & ~(PAGE_BYTES - 1));
		add_segment(module, &header, bias);
	}
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

bool unwind_module_copy(struct unwind_module *module, void *to, uint64_t address, unsigned size)
{
	const struct unwind_segment *segment = segment_of(module, address);

	if (!segment || segment->high - address < size)
		return false;
	if (unwind_memory_read(to, address, size))
		return true;
	module->faulted = true;
	return false;
}

bool unwind_module_read(struct unwind_module *module, uint64_t address, uint64_t *word)
{
	return unwind_module_copy(module, word, address, sizeof(*word));
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
static uint64_t table_of(struct unwind_module *module, uint64_t *count)
{
	uint8_t header[16];
	uint32_t rows;
	uint64_t room;
	unsigned skip;

	if (!module->header || (module->header & 3) ||
	    !unwind_module_copy(module, header, module->header, sizeof(header)))
		return 0;
	skip = pointer_bytes(header[1]);
	if (header[0] != 1 || !skip || header[2] != 0x03 || header[3] != 0x3b)
		return 0;
	memcpy(&rows, header + 4 + skip, sizeof(rows));
	*count = rows;
	room = segment_of(module, module->header)->high - module->header - 8 - skip;
	return rows <= room / 8 ? module->header + 8 + skip : 0;
}

/* First number of a row; what cannot be read sorts as if above all. */
static int64_t row_start(struct unwind_module *module, uint64_t table, uint64_t row)
{
	int32_t start;

	return unwind_module_copy(module, &start, table + row * 8, sizeof(start)) ? start
										  : INT64_MAX;
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
