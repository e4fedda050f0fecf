/*
 * Tables are built in two steps, because most addresses need only the first: symbols with a
 * size at opening; symbols without one, and the unwind table that limits them, at the first
 * address that no sized symbol covers.
 *
 * A symbol without a size (hand-written assembly) reaches to the next symbol, but never
 * behind its section, nor behind the end of its own or into the next entry of the unwind
 * table.  If the file has only dynamic symbols, the next symbol says nothing about what lies
 * between, and such a symbol counts only within an unwind entry that starts with it.
 */
#include "runtime/fold/symbols.h"

#include <errno.h>
#include <gelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/ranges.h"
#include "runtime/fold/symbols_elf.h"
#include "runtime/fold/unwind_table.h"

struct symbol {
	uint64_t start;
	uint64_t size;
	uint64_t section_end;
	const char *name; /* libdwfl's */
	unsigned char binding;
};

struct symbols {
	Dwfl *dwfl;
	Dwfl_Module *module;
	struct symbol *symbol; /* by start, the best name last */
	uint32_t count;
	bool complete; /* local functions are among them */
	bool refined;  /* the two tables below are built */
	struct ranges sized;
	struct ranges unsized;
	struct ranges unwind;
};

/* Take a symbol that may be a function, with the section it lies in. */
static bool is_code(Elf *elf, GElf_Word shndx, const GElf_Sym *sym, GElf_Shdr *section)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC)
		return false;
	if (shndx == SHN_UNDEF || (shndx >= SHN_LORESERVE && shndx <= SHN_HIRESERVE))
		return false;
	return gelf_getshdr(elf_getscn(elf, shndx), section) && (section->sh_flags & SHF_EXECINSTR);
}

/* Mapping symbols of ARM ("$x") and the assembler's own labels name no function. */
static bool is_name(const char *name)
{
	return name && name[0] && name[0] != '$' && strncmp(name, ".L", 2) != 0;
}

static void take(struct symbols *symbols, int index)
{
	struct symbol *symbol = &symbols->symbol[symbols->count];
	GElf_Addr address;
	GElf_Word shndx;
	GElf_Shdr section;
	GElf_Sym sym;
	Elf *elf;
	Dwarf_Addr bias;
	const char *name = dwfl_module_getsym_info(symbols->module, index, &sym, &address, &shndx,
						   &elf, &bias);

	if (!is_name(name) || !elf || !is_code(elf, shndx, &sym, &section))
		return;
	symbol->name = name;
	symbol->start = address;
	symbol->size = sym.st_size;
	symbol->section_end = section.sh_addr + section.sh_size + bias;
	symbol->binding = GELF_ST_BIND(sym.st_info);
	if (symbol->binding == STB_LOCAL)
		symbols->complete = true;
	symbols->count++;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Of several names for one address the one users know: global before local, fewest
 * underscores in front ("read" before "__read"), strong before weak, then the shortest. */
static int compare_names(const struct symbol *a, const struct symbol *b)
{
	size_t a_length = strlen(a->name);
	size_t b_length = strlen(b->name);

	if ((a->binding == STB_LOCAL) != (b->binding == STB_LOCAL))
		return a->binding == STB_LOCAL ? -1 : 1;
	if (underscores(a->name) != underscores(b->name))
		return underscores(a->name) > underscores(b->name) ? -1 : 1;
	if ((a->binding == STB_WEAK) != (b->binding == STB_WEAK))
		return a->binding == STB_WEAK ? -1 : 1;
	if (a_length != b_length)
		return a_length > b_length ? -1 : 1;
	return -strcmp(a->name, b->name);
}

static int compare(const void *left, const void *right)
{
	const struct symbol *a = left;
	const struct symbol *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return compare_names(a, b);
}

/* Rank is order: the later a symbol starts, the further inside it lies. */
static int read_symbols(struct symbols *symbols)
{
	int total = dwfl_module_getsymtab(symbols->module);
	int err = 0;

	if (total <= 0)
		return 0;
	symbols->symbol = calloc((size_t)total, sizeof(*symbols->symbol));
	if (!symbols->symbol)
		return -ENOMEM;
	for (int i = 1; i < total; i++)
		take(symbols, i);
	qsort(symbols->symbol, symbols->count, sizeof(*symbols->symbol), compare);
	for (uint32_t i = 0; !err && i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->symbol[i];
		uint64_t end = symbol->start + symbol->size;

		err = ranges_add(&symbols->sized, symbol->start, end, i, i);
	}
	return err ? err : ranges_build(&symbols->sized);
}

static int finish_open(int err, Dwfl *dwfl, Dwfl_Module *module, struct symbols **result)
{
	struct symbols *symbols;

	if (err)
		return err;
	symbols = calloc(1, sizeof(*symbols));
	if (!symbols) {
		dwfl_end(dwfl);
		return -ENOMEM;
	}
	symbols->dwfl = dwfl;
	symbols->module = module;
	err = read_symbols(symbols);
	if (err) {
		symbols_close(symbols);
		return err;
	}
	*result = symbols;
	return 0;
}

int symbols_open(const char *path, const uint8_t *build_id, size_t build_id_bytes,
		 struct symbols **symbols)
{
	Dwfl_Module *module = NULL;
	Dwfl *dwfl = NULL;
	int err = symbols_elf_open(path, build_id, build_id_bytes, &dwfl, &module);

	return finish_open(err, dwfl, module, symbols);
}

int symbols_open_vdso(struct symbols **symbols)
{
	Dwfl_Module *module = NULL;
	Dwfl *dwfl = NULL;
	int err = symbols_elf_open_vdso(&dwfl, &module);

	return finish_open(err, dwfl, module, symbols);
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	ranges_free(&symbols->sized);
	ranges_free(&symbols->unsized);
	ranges_free(&symbols->unwind);
	free(symbols->symbol);
	dwfl_end(symbols->dwfl);
	free(symbols);
}

/* How far symbol i, which has no size, can be said to reach: see the head of this file. */
static uint64_t reach(const struct symbols *symbols, uint32_t i)
{
	const struct symbol *symbol = &symbols->symbol[i];
	const struct range *own = ranges_find(&symbols->unwind, symbol->start);
	const struct range *next = ranges_after(&symbols->unwind, symbol->start);
	uint64_t end = symbol->section_end;

	if (!symbols->complete && (!own || own->start != symbol->start))
		return symbol->start;
	if (own && own->end < end)
		end = own->end;
	if (next && next->start < end)
		end = next->start;
	while (i < symbols->count && symbols->symbol[i].start == symbol->start)
		i++;
	if (i < symbols->count && symbols->symbol[i].start < end)
		end = symbols->symbol[i].start;
	return end;
}

/* Without memory the tables stay empty: fewer addresses get a name, none a wrong one. */
static void refine(struct symbols *symbols)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(symbols->module, &bias);

	symbols->refined = true;
	if (elf && unwind_table_read(elf, &symbols->unwind))
		ranges_free(&symbols->unwind);
	for (uint32_t i = 0; i < symbols->count; i++)
		if (!symbols->symbol[i].size &&
		    ranges_add(&symbols->unsized, symbols->symbol[i].start, reach(symbols, i), i,
			       i))
			break;
	if (ranges_build(&symbols->unsized))
		ranges_free(&symbols->unsized);
}

struct symbols_found symbols_find(struct symbols *symbols, uint64_t address)
{
	struct symbols_found found = { .kind = SYMBOLS_UNKNOWN };
	const struct range *range = ranges_find(&symbols->sized, address);

	if (!range && !symbols->refined)
		refine(symbols);
	if (!range)
		range = ranges_find(&symbols->unsized, address);
	if (range) {
		found.kind = SYMBOLS_NAMED;
		found.name = symbols->symbol[range->value].name;
		found.start = symbols->symbol[range->value].start;
		return found;
	}
	range = ranges_find(&symbols->unwind, address);
	if (range) {
		found.kind = SYMBOLS_NAMELESS;
		found.start = range->start;
	}
	return found;
}
