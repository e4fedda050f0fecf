/*
 * A section is found by its address.  One without bytes in the file (SHT_NOBITS) is that of a
 * separate debug file, which stands in for a program that was replaced.
 */

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/debuginfo/elfutils.h"
#include "runtime/profile/debuginfo/symbols_elf.h"

static bool holds_code(const GElf_Shdr *section, uint64_t address)
{
	return section->sh_type == SHT_PROGBITS && section->sh_flags & SHF_EXECINSTR &&
	       address >= section->sh_addr && address - section->sh_addr < section->sh_size;
}

/* Returns the section's data, and the address that it begins at; NULL if no section has code at
 * the address. */
static const Elf_Data *find_section(Elf *elf, uint64_t address, uint64_t *begin)
{
	Elf_Scn *at = NULL;
	GElf_Shdr section;

	while ((at = elfutils.elf_nextscn(elf, at)))
		if (elfutils.gelf_getshdr(at, &section) && holds_code(&section, address)) {
			*begin = section.sh_addr;
			return elfutils.elf_rawdata(at, NULL);
		}
	return NULL;
}

static int copy(Elf *elf, uint64_t start, uint64_t end, struct code_bytes *code)
{
	uint64_t begin;
	const Elf_Data *data = find_section(elf, start, &begin);
	size_t offset, count;
	GElf_Ehdr header;

	if (!data || !data->d_buf || !elfutils.gelf_getehdr(elf, &header))
		return -ENODATA;
	offset = start - begin;
	if (end <= start || offset >= data->d_size)
		return -ENODATA;
	count = data->d_size - offset;
	if (count > end - start)
		count = end - start;
	if (count > CODE_BYTES_MOST)
		count = CODE_BYTES_MOST;
	code->bytes = malloc(count);
	if (!code->bytes)
		return -ENOMEM;
	memcpy(code->bytes, (const char *)data->d_buf + offset, count);
	code->count = count;
	code->machine = header.e_machine;
	return 0;
}

int code_bytes_read(const struct symbols_elf_file *file, uint64_t start, uint64_t end,
		    struct code_bytes *code)
{
	Dwfl_Module *module;
	GElf_Addr bias;
	Dwfl *dwfl;
	Elf *elf;
	int err = symbols_elf_open(file, &dwfl, &module);

	*code = (struct code_bytes){ 0 };
	if (err)
		return err;
	elf = elfutils.dwfl_module_getelf(module, &bias);
	err = elf ? copy(elf, start - bias, end - bias, code) : -ENODATA;
	elfutils.dwfl_end(dwfl);
	return err;
}
