/*
 * Each address asks the symbol table anew, from one end to the other: a profile has few addresses
 * of data.
 */
#include "runtime/profile/symbols/variables.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/profile/symbols/demangle.h"
#include "runtime/profile/debuginfo/elfutils.h"
#include "runtime/profile/debuginfo/symbols_elf.h"

struct variable {
	const char *name; /* NULL: none yet */
	uint64_t start;
	uint64_t size;
	bool local;
};

/* Of several that hold an address, the smallest is nearest; of aliases, a global one. */
static bool is_better(const struct variable *one, const struct variable *than)
{
	if (!than->name || one->size != than->size)
		return !than->name || one->size < than->size;
	return !one->local && than->local;
}

static void take(Dwfl_Module *module, int index, uint64_t address, struct variable *best)
{
	GElf_Addr start;
	GElf_Word shndx;
	GElf_Sym sym;
	Elf *elf;
	Dwarf_Addr bias;
	const char *name =
		elfutils.dwfl_module_getsym_info(module, index, &sym, &start, &shndx, &elf, &bias);
	struct variable found;

	if (!name || !name[0] || GELF_ST_TYPE(sym.st_info) != STT_OBJECT || shndx == SHN_UNDEF)
		return;
	found = (struct variable){ name, start, sym.st_size,
				   GELF_ST_BIND(sym.st_info) == STB_LOCAL };
	if (address - start < sym.st_size && is_better(&found, best))
		*best = found;
}

static char *name_of(const struct variable *variable, uint64_t address)
{
	char *demangled = demangle_symbol(variable->name), *text = NULL;
	const char *name = demangled ? demangled : variable->name;
	uint64_t offset = address - variable->start;
	int length = offset ? asprintf(&text, "%s+0x%llx", name, (unsigned long long)offset)
			    : asprintf(&text, "%s", name);

	free(demangled);
	return length < 0 ? NULL : text;
}

char *variables_find(const struct symbols_elf_file *file, uint64_t address)
{
	struct variable best = { .name = NULL };
	Dwfl_Module *module = NULL;
	Dwfl *dwfl = NULL;
	char *text = NULL;
	int count;

	if (symbols_elf_open(file, &dwfl, &module))
		return NULL;
	count = elfutils.dwfl_module_getsymtab(module);
	for (int i = 1; i < count; i++)
		take(module, i, address, &best);
	if (best.name)
		text = name_of(&best, address);
	elfutils.dwfl_end(dwfl);
	return text;
}
