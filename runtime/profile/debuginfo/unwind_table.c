/*
 * libdw splits the section into entries.  The two pointers of each entry are decoded here, as the
 * chapters "Exception Frames" and "DWARF Extensions" of the LSB Core Specification describe.
 */
#include "runtime/profile/debuginfo/symbols_elf.h"

#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/profile/debuginfo/elfutils.h"

#define FORMAT_MASK 0x0f
#define BASE_MASK   0x70
#define WIDTH_MASK  0x07 /* the format without its sign */

struct section {
	const unsigned char *ident; /* e_ident of the ELF file */
	Elf_Data *data;
	uint64_t address;
	Dwarf_Off cie;	       /* offset of the CIE read last */
	unsigned cie_encoding; /* pointer encoding of its FDEs; DW_EH_PE_omit: unknown */
};

static size_t encoded_bytes(unsigned encoding)
{
	switch (encoding & FORMAT_MASK) {
	case DW_EH_PE_absptr:
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8:
		return 8;
	case DW_EH_PE_udata4:
	case DW_EH_PE_sdata4:
		return 4;
	case DW_EH_PE_udata2:
	case DW_EH_PE_sdata2:
		return 2;
	default:
		return 0;
	}
}

static uint64_t decode(const uint8_t *from, unsigned encoding)
{
	uint64_t value = 0;
	unsigned bits = (unsigned)encoded_bytes(encoding) * 8;

	memcpy(&value, from, bits / 8);
	if ((encoding & DW_EH_PE_signed) && bits && bits < 64 && value >> (bits - 1) & 1)
		value |= UINT64_MAX << bits;
	return value;
}

/* Returns the encoding of code pointers, from the augmentation of a CIE. */
static unsigned cie_encoding(const Dwarf_CIE *cie)
{
	const uint8_t *data = cie->augmentation_data;
	const uint8_t *end = data ? data + cie->augmentation_data_size : NULL;

	if (cie->augmentation[0] != 'z')
		return cie->augmentation[0] ? DW_EH_PE_omit : DW_EH_PE_absptr;
	for (const char *letter = cie->augmentation + 1; *letter && data < end; letter++) {
		if (*letter == 'R')
			return *data;
		if (*letter == 'L')
			data++;
		else if (*letter == 'P')
			data += 1 + encoded_bytes(*data);
		else if (*letter != 'S' && *letter != 'B')
			return DW_EH_PE_omit;
	}
	return data == end ? DW_EH_PE_absptr : DW_EH_PE_omit;
}

static void read_cie(struct section *section, Dwarf_Off offset)
{
	Dwarf_CFI_Entry entry;
	Dwarf_Off next;

	if (section->cie == offset)
		return;
	section->cie = offset;
	section->cie_encoding = DW_EH_PE_omit;
	if (elfutils.dwarf_next_cfi(section->ident, section->data, true, offset, &next, &entry) ==
		    0 &&
	    dwarf_cfi_cie_p(&entry))
		section->cie_encoding = cie_encoding(&entry.cie);
}

static int add_fde(struct section *section, const Dwarf_FDE *fde, struct ranges *ranges)
{
	const uint8_t *from = fde->start;
	unsigned encoding;
	size_t bytes;
	uint64_t start;

	read_cie(section, fde->CIE_pointer);
	encoding = section->cie_encoding;
	bytes = encoded_bytes(encoding);
	if (encoding == DW_EH_PE_omit || !bytes || (encoding & DW_EH_PE_indirect) ||
	    (size_t)(fde->end - from) < bytes * 2)
		return 0;
	start = decode(from, encoding);
	if ((encoding & BASE_MASK) == DW_EH_PE_pcrel)
		start +=
			section->address + (uint64_t)(from - (const uint8_t *)section->data->d_buf);
	else if ((encoding & BASE_MASK) != DW_EH_PE_absptr)
		return 0;
	/* The length is as wide as the pointer, but never relative or negative. */
	return ranges_add(ranges, start, start + decode(from + bytes, encoding & WIDTH_MASK),
			  (uint32_t)ranges->count, 0);
}

static bool find_section(Elf *elf, struct section *section)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elfutils.elf_getshdrstrndx(elf, &names))
		return false;
	while ((scn = elfutils.elf_nextscn(elf, scn))) {
		GElf_Shdr header;
		const char *name;

		if (!elfutils.gelf_getshdr(scn, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elfutils.elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, ".eh_frame") != 0)
			continue;
		section->address = header.sh_addr;
		section->data = elfutils.elf_rawdata(scn, NULL);
		return section->data && section->data->d_buf;
	}
	return false;
}

int unwind_table_read(Elf *elf, struct ranges *ranges)
{
	struct section section = { .cie = UINT64_MAX };
	Dwarf_CFI_Entry entry;
	Dwarf_Off at = 0;
	Dwarf_Off next;
	int err = 0;

	section.ident = (const unsigned char *)elfutils.elf_getident(elf, NULL);
	if (!section.ident || section.ident[EI_CLASS] != ELFCLASS64 || !find_section(elf, &section))
		return 0;
	while (!err &&
	       elfutils.dwarf_next_cfi(section.ident, section.data, true, at, &next, &entry) == 0) {
		if (!dwarf_cfi_cie_p(&entry))
			err = add_fde(&section, &entry.fde, ranges);
		at = next;
	}
	return err ? err : ranges_build(ranges);
}
