/*
 * A package has the sections of all its units one behind the other, and an index that says which
 * part of each section belongs to a unit.  Only the strings are shared, and a unit gets a copy of
 * its own.
 *
 * libdw reads packages since 0.191 and believes the index; the files .dwo that were packed it has
 * read for long, and checks them.
 */
#include "runtime/profile/debuginfo/dwp.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "runtime/profile/base/user_file.h"
#include "runtime/profile/debuginfo/elfutils.h"

#define HEAD_WORDS    4	 /* of the index: version, columns, rows, slots */
#define COLUMNS_MOST  64 /* DWARF has eight sections */
#define NO_COLUMN     UINT32_MAX
#define UNPACKED_MOST 64	   /* times what is packed: compilers' output shrinks to a fifth */
#define WORD_RANGE    (1ULL << 32) /* to which large packages truncate offsets */

enum part { INFO, ABBREV, LINE, STR_OFFSETS, RNGLISTS, STR, NAMES, UNIT_PARTS, INDEX = UNIT_PARTS };

/* In the file of a unit, this table is the section with the names of sections. */
static const struct section_name {
	char name[28];
	uint32_t column; /* DW_SECT_*; 0: the index does not divide it */
} names[] = {
	[INFO] = { ".debug_info.dwo", 1 },
	[ABBREV] = { ".debug_abbrev.dwo", 3 },
	[LINE] = { ".debug_line.dwo", 4 },
	[STR_OFFSETS] = { ".debug_str_offsets.dwo", 6 },
	[RNGLISTS] = { ".debug_rnglists.dwo", 8 },
	[STR] = { ".debug_str.dwo", 0 },
	[NAMES] = { ".shstrtab", 0 },
	[INDEX] = { ".debug_cu_index", 0 },
};

#define SECTIONS (sizeof(names) / sizeof(names[0]))

struct span {
	const uint8_t *at;
	uint64_t bytes;
};

struct dwp {
	struct span image; /* the whole file, mapped privately */
	Elf *elf;
	GElf_Ehdr head;
	struct span sections[SECTIONS];
	uint32_t version; /* of the index: 2 (GNU's) or 5 */
	uint32_t columns, rows, slots;
	const uint8_t *ids, *row_of;	/* by slot; a row of 0: the slot is free */
	const uint8_t *offsets, *sizes; /* by row and column */
	uint32_t column[UNIT_PARTS];	/* of each section */
};

static uint32_t word(const uint8_t *from, uint64_t index)
{
	uint32_t value;

	memcpy(&value, from + index * sizeof(value), sizeof(value));
	return value;
}

static bool inflate(const struct dwp *dwp, Elf_Scn *section)
{
	GElf_Chdr packed;

	return elfutils.gelf_getchdr(section, &packed) &&
	       packed.ch_size / UNPACKED_MOST <= dwp->image.bytes &&
	       elfutils.elf_compress(section, 0, 0) > 0;
}

static int read_section(struct dwp *dwp, Elf_Scn *section, size_t strings)
{
	const char *name;
	GElf_Shdr header;
	Elf_Data *data;

	if (!elfutils.gelf_getshdr(section, &header))
		return -EBADMSG;
	name = elfutils.elf_strptr(dwp->elf, strings, header.sh_name);
	for (size_t i = 0; name && i < SECTIONS; i++) {
		if (strcmp(name, names[i].name))
			continue;
		if (header.sh_flags & SHF_COMPRESSED && !inflate(dwp, section))
			return -EBADMSG;
		data = elfutils.elf_rawdata(section, NULL);
		if (!data || !data->d_buf)
			return -EBADMSG;
		dwp->sections[i] = (struct span){ data->d_buf, data->d_size };
	}
	return 0;
}

static int read_sections(struct dwp *dwp)
{
	Elf_Scn *section = NULL;
	size_t strings;
	int err = 0;

	dwp->elf = elfutils.elf_memory((char *)(uintptr_t)dwp->image.at, dwp->image.bytes);
	if (!dwp->elf || !elfutils.gelf_getehdr(dwp->elf, &dwp->head) ||
	    dwp->head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    elfutils.elf_getshdrstrndx(dwp->elf, &strings))
		return -EBADMSG;
	while (!err && (section = elfutils.elf_nextscn(dwp->elf, section)))
		err = read_section(dwp, section, strings);
	return err;
}

/* The column that was GNU's for macros is DWARF 5's for lists of ranges. */
static void read_columns(struct dwp *dwp, const uint8_t *columns)
{
	for (size_t part = 0; part < UNIT_PARTS; part++) {
		dwp->column[part] = NO_COLUMN;
		for (uint32_t i = 0; i < dwp->columns; i++)
			if (names[part].column && word(columns, i) == names[part].column &&
			    (part != RNGLISTS || dwp->version == 5))
				dwp->column[part] = i;
	}
}

static int read_index(struct dwp *dwp)
{
	const struct span *index = &dwp->sections[INDEX];
	const uint8_t *columns;
	uint64_t words;

	if (index->bytes < HEAD_WORDS * sizeof(uint32_t))
		return -EBADMSG;
	dwp->version = word(index->at, 0) & UINT16_MAX; /* 2 and 0, or 5 and padding */
	dwp->columns = word(index->at, 1);
	dwp->rows = word(index->at, 2);
	dwp->slots = word(index->at, 3);
	words = HEAD_WORDS + 3ULL * dwp->slots +
		(uint64_t)dwp->columns * (1 + 2 * (uint64_t)dwp->rows);
	if ((dwp->version != 2 && dwp->version != 5) || dwp->columns > COLUMNS_MOST ||
	    dwp->slots & (dwp->slots - 1) || index->bytes / sizeof(uint32_t) < words)
		return -EBADMSG;
	dwp->ids = index->at + HEAD_WORDS * sizeof(uint32_t);
	dwp->row_of = dwp->ids + dwp->slots * sizeof(uint64_t);
	columns = dwp->row_of + dwp->slots * sizeof(uint32_t);
	dwp->offsets = columns + dwp->columns * sizeof(uint32_t);
	dwp->sizes = dwp->offsets + (size_t)dwp->rows * dwp->columns * sizeof(uint32_t);
	read_columns(dwp, columns);
	return 0;
}

/* libelf writes to the headers of what it inflates. */
static int map_file(const char *path, struct span *image)
{
	int fd = user_file_open_regular(path, 0);
	struct stat st;
	void *map;
	int err = 0;

	if (fd < 0)
		return fd;
	map = fstat(fd, &st) ? MAP_FAILED
			     : mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	if (map == MAP_FAILED)
		err = errno == EINVAL ? -EBADMSG : -errno; /* an empty file is no package */
	else
		*image = (struct span){ map, (uint64_t)st.st_size };
	close(fd);
	return err;
}

int dwp_open(const char *path, struct dwp **result)
{
	struct dwp *dwp = calloc(1, sizeof(*dwp));
	int err = dwp ? map_file(path, &dwp->image) : -ENOMEM;

	if (!err)
		err = read_sections(dwp);
	if (!err)
		err = read_index(dwp);
	if (err)
		dwp_close(dwp);
	else
		*result = dwp;
	return err;
}

void dwp_close(struct dwp *dwp)
{
	if (!dwp)
		return;
	elfutils.elf_end(dwp->elf);
	if (dwp->image.at)
		munmap((void *)(uintptr_t)dwp->image.at, dwp->image.bytes);
	free(dwp);
}

/* Returns the unit's row, from 1; 0: there is none. */
static uint32_t find_row(const struct dwp *dwp, uint64_t id)
{
	uint64_t last = dwp->slots - 1ULL, slot = id & last, step = (id >> 32 & last) | 1;

	for (uint32_t tries = 0; tries < dwp->slots; tries++, slot = (slot + step) & last) {
		uint32_t row = word(dwp->row_of, slot);

		if (!row)
			break;
		if (!memcmp(dwp->ids + slot * sizeof(id), &id, sizeof(id)))
			return row;
	}
	return 0;
}

/* Past 4 GB, offsets are truncated (binutils, LLVM): the unit lies where its own length is right.
 */
static void find_far(const struct span *all, uint64_t bytes, uint64_t *offset)
{
	while (*offset + WORD_RANGE + bytes <= all->bytes &&
	       word(all->at + *offset, 0) + sizeof(uint32_t) != bytes)
		*offset += WORD_RANGE;
}

/* Finds the parts of a unit, but for its strings. */
static int find_parts(const struct dwp *dwp, uint64_t id, struct span parts[UNIT_PARTS])
{
	uint32_t row = dwp ? find_row(dwp, id) : 0;

	if (!row)
		return -ENOENT;
	if (row > dwp->rows)
		return -EBADMSG;
	for (size_t part = 0; part < UNIT_PARTS; part++) {
		const struct span *all = &dwp->sections[part];
		uint64_t cell = (row - 1ULL) * dwp->columns + dwp->column[part];
		uint64_t offset, bytes;

		parts[part] = (struct span){ 0 };
		if (dwp->column[part] == NO_COLUMN)
			continue;
		offset = word(dwp->offsets, cell);
		bytes = word(dwp->sizes, cell);
		if (offset > all->bytes || bytes > all->bytes - offset)
			return -EBADMSG;
		if (!bytes)
			continue;
		if (part == INFO && bytes >= sizeof(uint32_t))
			find_far(all, bytes, &offset);
		parts[part] = (struct span){ all->at + offset, bytes };
	}
	parts[NAMES] = (struct span){ (const uint8_t *)names, sizeof(names) };
	return parts[INFO].bytes && parts[ABBREV].bytes && parts[STR_OFFSETS].bytes ? 0 : -EBADMSG;
}

/* Lays the strings that a unit names behind each other and copies them there; without a `text`,
 * only adds up their bytes.  Returns false if the package is damaged. */
static bool lay_out_strings(const struct dwp *dwp, const struct span *from, uint8_t *offsets,
			    char *text, size_t *used)
{
	const struct span *all = &dwp->sections[STR];
	/* In DWARF 5 there is a header of two words, which gcc omitted for a while. */
	bool headed = dwp->version == 5 && from->bytes >= 2 * sizeof(uint32_t) &&
		      word(from->at, 0) + sizeof(uint32_t) == from->bytes;

	*used = 0;
	for (size_t i = headed ? 2 : 0; i < from->bytes / sizeof(uint32_t); i++) {
		uint32_t at = word(from->at, i), offset = (uint32_t)*used;
		size_t length;

		if (at >= all->bytes || *used > dwp->image.bytes + all->bytes)
			return false;
		length = strnlen((const char *)all->at + at, all->bytes - at);
		if (text) {
			memcpy(offsets + i * sizeof(offset), &offset, sizeof(offset));
			memcpy(text + offset, all->at + at, length);
			text[offset + length] = '\0';
		}
		*used += length + 1;
	}
	return true;
}

/* Gives the unit strings of its own.  Returns 0 with *memory, in which they are, or -errno. */
static int copy_strings(const struct dwp *dwp, struct span parts[UNIT_PARTS], void **memory)
{
	struct span *offsets = &parts[STR_OFFSETS];
	uint8_t *own;
	size_t bytes;

	if (!lay_out_strings(dwp, offsets, NULL, NULL, &bytes))
		return -EBADMSG;
	*memory = own = malloc(offsets->bytes + bytes + 1);
	if (!own)
		return -ENOMEM;
	memcpy(own, offsets->at, offsets->bytes);
	lay_out_strings(dwp, offsets, own, (char *)own + offsets->bytes, &bytes);
	offsets->at = own;
	parts[STR] = (struct span){ own + offsets->bytes, bytes };
	return 0;
}

/* Writes an ELF file whose sections are these.  Returns its descriptor or -errno. */
static int write_file(const struct dwp *dwp, const struct span parts[UNIT_PARTS])
{
	Elf64_Shdr headers[1 + UNIT_PARTS] = { 0 };
	Elf64_Ehdr head = dwp->head;
	struct iovec vectors[2 + UNIT_PARTS] = { { &head, sizeof(head) },
						 { headers, sizeof(headers) } };
	size_t end = sizeof(head) + sizeof(headers);
	int fd = memfd_create("unit.dwo", MFD_CLOEXEC);

	head.e_shoff = sizeof(head);
	head.e_shnum = 1 + UNIT_PARTS;
	head.e_shstrndx = 1 + NAMES;
	for (size_t part = 0; part < UNIT_PARTS; part++) {
		headers[1 + part] =
			(Elf64_Shdr){ .sh_name = (Elf64_Word)(part * sizeof(names[0])),
				      .sh_type = part == NAMES ? SHT_STRTAB : SHT_PROGBITS,
				      .sh_offset = end,
				      .sh_size = parts[part].bytes };
		vectors[2 + part] =
			(struct iovec){ (void *)(uintptr_t)parts[part].at, parts[part].bytes };
		end += parts[part].bytes;
	}
	if (fd >= 0 && writev(fd, vectors, 2 + UNIT_PARTS) == (ssize_t)end)
		return fd;
	if (fd >= 0)
		close(fd);
	return -ENOMEM;
}

int dwp_look(const struct dwp *dwp, uint64_t id)
{
	struct span parts[UNIT_PARTS];

	return find_parts(dwp, id, parts);
}

int dwp_unpack(const struct dwp *dwp, uint64_t id)
{
	struct span parts[UNIT_PARTS];
	void *memory = NULL;
	int result = find_parts(dwp, id, parts);

	if (!result)
		result = copy_strings(dwp, parts, &memory);
	if (!result)
		result = write_file(dwp, parts);
	free(memory);
	return result;
}
