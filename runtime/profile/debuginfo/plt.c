/*
 * A stub holds one "jmp *slot(%rip)", and the relocation of that slot has the name.  So the result
 * does not depend on the order of stubs, nor on the linker's layout of them.
 */
#include "runtime/profile/debuginfo/symbols_elf.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/debuginfo/elfutils.h"

#define JUMP_BYTES 6 /* ff 25 and a 4-byte displacement */
#define STUB_BYTES 16

struct plt {
	Elf *elf;
	size_t section_names;
	struct map slots; /* address of a slot to its name */
	struct string_table strings;
	int (*found)(void *context, uint64_t start, uint64_t size, const char *name);
	void *context;
};

/* Read the slots that the relocations of one section fill with addresses of other files'
 * functions. */
static int read_relocations(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = elfutils.elf_getdata(scn, NULL);
	Elf_Scn *table = elfutils.elf_getscn(plt->elf, header->sh_link);
	Elf_Data *symbols = table ? elfutils.elf_getdata(table, NULL) : NULL;
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	GElf_Shdr table_header;
	GElf_Rela rela;
	GElf_Sym sym;

	if (!data || !symbols || !elfutils.gelf_getshdr(table, &table_header))
		return 0;
	for (size_t i = 0; i < count && i < INT32_MAX && elfutils.gelf_getrela(data, (int)i, &rela);
	     i++) {
		unsigned type = (unsigned)GELF_R_TYPE(rela.r_info);
		const char *name;
		uint32_t *slot;

		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
			continue;
		if (!elfutils.gelf_getsym(symbols, (int)GELF_R_SYM(rela.r_info), &sym))
			continue;
		name = elfutils.elf_strptr(plt->elf, table_header.sh_link, sym.st_name);
		if (!name || !name[0])
			continue;
		slot = map_at(&plt->slots, 0, rela.r_offset);
		if (!slot)
			return -ENOMEM;
		*slot = string_table_intern(&plt->strings, name, strlen(name));
	}
	return 0;
}

static int read_stubs(struct plt *plt, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Data *data = elfutils.elf_rawdata(scn, NULL);
	size_t stub = header->sh_entsize == 8 ? 8 : STUB_BYTES;
	const unsigned char *bytes = data ? data->d_buf : NULL;
	int err = 0;

	for (size_t i = 0; bytes && !err && i + JUMP_BYTES <= data->d_size; i++) {
		uint32_t *slot;
		int32_t distance;

		if (bytes[i] != 0xff || bytes[i + 1] != 0x25)
			continue;
		memcpy(&distance, bytes + i + 2, sizeof(distance));
		slot = map_at(&plt->slots, 0,
			      header->sh_addr + i + JUMP_BYTES + (uint64_t)(int64_t)distance);
		if (!slot)
			return -ENOMEM;
		if (*slot)
			err = plt->found(plt->context, header->sh_addr + i / stub * stub, stub,
					 string_table_text(&plt->strings, *slot));
		i += JUMP_BYTES - 1;
	}
	return err;
}

static bool holds_stubs(const struct plt *plt, const GElf_Shdr *header)
{
	const char *name = elfutils.elf_strptr(plt->elf, plt->section_names, header->sh_name);

	return header->sh_type == SHT_PROGBITS && (header->sh_flags & SHF_EXECINSTR) && name &&
	       !strncmp(name, ".plt", 4);
}

/* Relocations come first: the stubs are looked up among them. */
static int read_sections(struct plt *plt, bool stubs)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr header;
	int err = 0;

	while (!err && (scn = elfutils.elf_nextscn(plt->elf, scn))) {
		if (!elfutils.gelf_getshdr(scn, &header))
			continue;
		if (!stubs && header.sh_type == SHT_RELA && (header.sh_flags & SHF_ALLOC))
			err = read_relocations(plt, scn, &header);
		else if (stubs && holds_stubs(plt, &header))
			err = read_stubs(plt, scn, &header);
	}
	return err;
}

int plt_read(Elf *elf, int (*found)(void *context, uint64_t start, uint64_t size, const char *name),
	     void *context)
{
	struct plt plt = { .elf = elf, .found = found, .context = context };
	GElf_Ehdr header;
	int err;

	if (!elfutils.gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64 ||
	    elfutils.elf_getshdrstrndx(elf, &plt.section_names))
		return 0;
	err = read_sections(&plt, false);
	if (!err)
		err = read_sections(&plt, true);
	map_free(&plt.slots);
	string_table_free(&plt.strings);
	return err;
}
