/*
 * libdwfl holds a descriptor and mappings as long as a file is open; a program with a thousand
 * libraries would exhaust them.  So the needed data is copied and the file closed.
 *
 * Tables are built in two steps, because most addresses need only the first.  Symbols with a size
 * are read at opening.  Symbols without a size, and the unwind table that limits them, are read at
 * the first address that no sized symbol covers.
 *
 * A symbol without a size (hand-written assembly) reaches to the next symbol, but never past the
 * end of its section, past the end of its own unwind entry, or into the next entry.  If the file
 * has only dynamic symbols, the next symbol says nothing about the code in between.  Then such a
 * symbol counts only within an unwind entry that starts with it.
 */
#include "runtime/profile/symbols/symbols.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/order.h"
#include "runtime/profile/debuginfo/elfutils.h"
#include "runtime/profile/debuginfo/source.h"
#include "runtime/profile/base/ranges.h"
#include "runtime/profile/debuginfo/symbols_elf.h"

struct symbol {
	uint64_t start;
	uint64_t size;
	uint64_t section_end;
	uint32_t name; /* offset in symbols.names */
	unsigned char binding;
};

struct symbols {
	struct symbols_elf_file file;
	char *names; /* all names, each with its NUL */
	size_t names_bytes;
	struct symbol *symbol; /* by start, the best name last */
	uint32_t count;
	bool complete;	      /* includes local functions */
	bool refined;	      /* the last two tables below are built */
	const char *wrong;    /* see symbols_wrong() */
	bool source_reported; /* symbols_source_wrong() was asked */
	bool sourceless;      /* the file has no source information */
	struct source *source;
	struct ranges sized;
	struct ranges unsized;
	struct ranges unwind;
};

/* Returns whether a symbol may be a function; *section is the section that it lies in. */
static bool is_code(Elf *elf, GElf_Word shndx, const GElf_Sym *sym, GElf_Shdr *section)
{
	unsigned type = GELF_ST_TYPE(sym->st_info);

	if (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC)
		return false;
	if (shndx == SHN_UNDEF || (shndx >= SHN_LORESERVE && shndx <= SHN_HIRESERVE))
		return false;
	return elfutils.gelf_getshdr(elfutils.elf_getscn(elf, shndx), section) &&
	       (section->sh_flags & SHF_EXECINSTR);
}

/* Mapping symbols of ARM ("$x") and the assembler's local labels name no function. */
static bool is_name(const char *name)
{
	return name && name[0] && name[0] != '$' && strncmp(name, ".L", 2) != 0;
}

/* Add a symbol with its name; it is left out when memory is out. */
static void append(struct symbols *symbols, const struct symbol *symbol, const char *name)
{
	size_t bytes = strlen(name) + 1, at = symbols->names_bytes;

	if (at + bytes > UINT32_MAX || !grow_by(&symbols->names, at, bytes, 1) ||
	    !grow(&symbols->symbol, symbols->count, sizeof(*symbol)))
		return;
	memcpy(symbols->names + at, name, bytes);
	symbols->names_bytes += bytes;
	symbols->symbol[symbols->count] = *symbol;
	symbols->symbol[symbols->count++].name = (uint32_t)at;
}

static void take(struct symbols *symbols, Dwfl_Module *module, int index)
{
	struct symbol symbol;
	GElf_Addr address;
	GElf_Word shndx;
	GElf_Shdr section;
	GElf_Sym sym;
	Elf *elf;
	Dwarf_Addr bias;
	const char *name = elfutils.dwfl_module_getsym_info(module, index, &sym, &address, &shndx,
							    &elf, &bias);

	if (!is_name(name) || !elf || !is_code(elf, shndx, &sym, &section))
		return;
	symbol = (struct symbol){
		.start = address,
		.size = sym.st_size,
		.section_end = section.sh_addr + section.sh_size + bias,
		.binding = GELF_ST_BIND(sym.st_info),
	};
	if (symbol.binding == STB_LOCAL)
		symbols->complete = true;
	append(symbols, &symbol, name);
}

static int take_stub(void *context, uint64_t start, uint64_t size, const char *name)
{
	struct symbol symbol = { .start = start, .size = size, .section_end = start + size };
	char *stub;

	if (asprintf(&stub, "%s@plt", name) < 0)
		return -ENOMEM;
	append(context, &symbol, stub);
	free(stub);
	return 0;
}

/* A stripped program still has its entry point.  Like any symbol without a size it counts only
 * within an unwind entry that starts with it, and only where no other symbol applies. */
static void take_entry(struct symbols *symbols, Elf *elf)
{
	struct symbol symbol = { .section_end = UINT64_MAX };
	GElf_Ehdr header;

	if (!elfutils.gelf_getehdr(elf, &header) || !header.e_entry)
		return;
	symbol.start = header.e_entry;
	append(symbols, &symbol, "_start");
}

/* Of several names for one address, prefer the one that users know: global before local, fewest
 * leading underscores ("read" before "__read"), strong before weak, then the shortest. */
static int compare(const void *left, const void *right, void *context)
{
	const struct symbol *a = left, *b = right;
	const char *names = context, *a_name = names + a->name, *b_name = names + b->name;

	return order_of(a->start, b->start)
		       ?: order_of(b->binding == STB_LOCAL, a->binding == STB_LOCAL)
		       ?: order_of(strspn(b_name, "_"), strspn(a_name, "_"))
		       ?: order_of(b->binding == STB_WEAK, a->binding == STB_WEAK)
		       ?: order_of(strlen(b_name), strlen(a_name))
		       ?: strcmp(b_name, a_name);
}

/* The rank is the order: a symbol that starts later is nested deeper. */
static int read_symbols(struct symbols *symbols, Dwfl_Module *module)
{
	GElf_Addr bias;
	Elf *elf = elfutils.dwfl_module_getelf(module, &bias);
	int total, err = elf ? plt_read(elf, take_stub, symbols) : 0;

	if (err)
		return err;
	symbols->wrong = elf ? mini_debug_check(elf) : NULL;
	total = elfutils.dwfl_module_getsymtab(module);
	for (int i = 1; i < total; i++)
		take(symbols, module, i);
	if (elf && !symbols->complete)
		take_entry(symbols, elf);
	if (!symbols->count)
		return 0;
	qsort_r(symbols->symbol, symbols->count, sizeof(*symbols->symbol), compare, symbols->names);
	for (uint32_t i = 0; !err && i < symbols->count; i++) {
		const struct symbol *symbol = &symbols->symbol[i];
		uint64_t end = symbol->start + symbol->size;

		err = ranges_add(&symbols->sized, symbol->start, end, i, i);
	}
	return err ? err : ranges_build(&symbols->sized);
}

int symbols_open(const struct symbols_elf_file *file, struct symbols **result)
{
	struct symbols *symbols = calloc(1, sizeof(*symbols));
	Dwfl_Module *module = NULL;
	Dwfl *dwfl = NULL;
	int err;

	if (!symbols)
		return -ENOMEM;
	symbols->file = *file;
	err = symbols_elf_open(file, &dwfl, &module);
	if (!err) {
		err = read_symbols(symbols, module);
		elfutils.dwfl_end(dwfl);
	}
	if (err) {
		symbols_close(symbols);
		return err;
	}
	*result = symbols;
	return 0;
}

void symbols_close(struct symbols *symbols)
{
	if (!symbols)
		return;
	source_close(symbols->source);
	ranges_free(&symbols->sized);
	ranges_free(&symbols->unsized);
	ranges_free(&symbols->unwind);
	free(symbols->symbol);
	free(symbols->names);
	free(symbols);
}

const char *symbols_wrong(const struct symbols *symbols)
{
	return symbols->wrong;
}

struct source *symbols_source(struct symbols *symbols)
{
	if (!symbols->source && !symbols->sourceless)
		symbols->sourceless =
			!symbols->file.path || source_open(&symbols->file, &symbols->source);
	return symbols->source;
}

const char *symbols_source_wrong(struct symbols *symbols, const char **path)
{
	const char *wrong =
		symbols->source_reported || !symbols->source ? NULL : source_wrong(symbols->source);

	*path = symbols->file.path;
	symbols->source_reported = true;
	return wrong;
}

void symbols_close_source(struct symbols *symbols)
{
	source_close(symbols->source);
	symbols->source = NULL;
}

/* Returns the end up to which symbol i, which has no size, applies: see the head of this file. */
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

static void read_unwind(struct symbols *symbols)
{
	Dwfl_Module *module = NULL;
	Dwfl *dwfl = NULL;
	GElf_Addr bias;
	Elf *elf;

	if (symbols_elf_open(&symbols->file, &dwfl, &module))
		return;
	elf = elfutils.dwfl_module_getelf(module, &bias);
	if (elf && unwind_table_read(elf, &symbols->unwind))
		ranges_free(&symbols->unwind);
	elfutils.dwfl_end(dwfl);
}

/* Without memory the tables stay empty: fewer addresses get a name, but none a wrong one. */
static void refine(struct symbols *symbols)
{
	symbols->refined = true;
	read_unwind(symbols);
	for (uint32_t i = 0; i < symbols->count; i++)
		if (!symbols->symbol[i].size &&
		    ranges_add(&symbols->unsized, symbols->symbol[i].start, reach(symbols, i), i,
			       i))
			break;
	if (ranges_build(&symbols->unsized))
		ranges_free(&symbols->unsized);
}

/* Returns the end of the function that a symbol starts.  A size from a damaged file may wrap. */
static uint64_t end_of(const struct symbol *symbol, const struct range *range)
{
	uint64_t end = symbol->start + symbol->size;

	return symbol->size && end > range->end ? end : range->end;
}

struct symbols_found symbols_find(struct symbols *symbols, uint64_t address)
{
	struct symbols_found found = { .kind = SYMBOLS_UNKNOWN };
	const struct range *range = ranges_find(&symbols->sized, address);
	const struct symbol *symbol;

	if (!range && !symbols->refined)
		refine(symbols);
	if (!range)
		range = ranges_find(&symbols->unsized, address);
	if (range) {
		symbol = &symbols->symbol[range->value];
		found.kind = SYMBOLS_NAMED;
		found.name = symbols->names + symbol->name;
		found.start = symbol->start;
		found.end = end_of(symbol, range);
		return found;
	}
	range = ranges_find(&symbols->unwind, address);
	if (range) {
		found.kind = SYMBOLS_NAMELESS;
		found.start = range->start;
		found.end = range->end;
	}
	return found;
}

const struct symbols_elf_file *symbols_file(const struct symbols *symbols)
{
	return &symbols->file;
}
