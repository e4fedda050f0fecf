/*
 * Decodes union perf_mem_data_src, perf_event_open(2).  Uses only the fields that do not split a
 * profile into too many pieces: the operation, the memory level, hit or miss.
 */
#include "runtime/profile/symbols/data_frames.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/debuginfo/elfutils.h"
#include "runtime/profile/debuginfo/symbols_elf.h"
#include "runtime/profile/symbols/demangle.h"
#include "runtime/profile/symbols/modules.h"
#include "runtime/profile/symbols/symbols.h"
#include "runtime/spool/format.h"

#define HIT_OR_MISS (PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS)

struct word {
	unsigned bit;
	const char *text;
};

bool data_frame_is(uint64_t pc)
{
	return pc >= SPOOL_PC_DATA && pc < SPOOL_PC_REGION_END;
}

bool data_frame_address(uint64_t pc, uint64_t *address)
{
	*address = pc - SPOOL_PC_DATA;
	return pc >= SPOOL_PC_DATA && pc < SPOOL_PC_MEMORY;
}

bool data_frame_in_module(uint64_t pc, uint64_t *address)
{
	if (pc >= SPOOL_PC_LIBRARY && pc < SPOOL_PC_REGION_END)
		*address = pc - SPOOL_PC_LIBRARY;
	else if (pc >= SPOOL_PC_FILE && pc < SPOOL_PC_LIBRARY)
		*address = pc;
	else
		return data_frame_address(pc, address);
	return true;
}

static void region_text(uint64_t pc, const char *base, char *text, size_t bytes)
{
	static const char *const names[] = {
		[SPOOL_REGION_STACK] = "[stack]",
		[SPOOL_REGION_HEAP] = "[heap]",
		[SPOOL_REGION_ANONYMOUS] = "[anonymous mapping]",
		[SPOOL_REGION_FILE] = "[file mapping]",
		[SPOOL_REGION_UNKNOWN] = "[unknown mapping]",
	};
	uint64_t region = pc - SPOOL_PC_REGION;
	bool known = region < sizeof(names) / sizeof(names[0]) && names[region];

	if (pc >= SPOOL_PC_LIBRARY)
		snprintf(text, bytes, "[data %s]", base ? base : "of a library");
	else if (pc >= SPOOL_PC_FILE && base && base[0] == '[')
		snprintf(text, bytes, "%s", base);
	else if (pc >= SPOOL_PC_FILE && base)
		snprintf(text, bytes, "[file %s]", base);
	else
		snprintf(text, bytes, "%s", known ? names[region] : names[SPOOL_REGION_UNKNOWN]);
}

static const char *first_of(unsigned bits, const struct word *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (bits & words[i].bit)
			return words[i].text;
	return NULL;
}

static void memory_text(uint64_t source, char *text, size_t bytes)
{
	static const struct word operations[] = {
		{ PERF_MEM_OP_LOAD, "load" },
		{ PERF_MEM_OP_STORE, "store" },
		{ PERF_MEM_OP_PFETCH, "prefetch" },
		{ PERF_MEM_OP_EXEC, "execute" },
	};
	static const struct word levels[] = {
		{ PERF_MEM_LVL_L1, "L1" },
		{ PERF_MEM_LVL_LFB, "line fill buffer" },
		{ PERF_MEM_LVL_L2, "L2" },
		{ PERF_MEM_LVL_L3, "L3" },
		{ PERF_MEM_LVL_LOC_RAM, "RAM" },
		{ PERF_MEM_LVL_REM_RAM1 | PERF_MEM_LVL_REM_RAM2, "remote RAM" },
		{ PERF_MEM_LVL_REM_CCE1 | PERF_MEM_LVL_REM_CCE2, "remote cache" },
		{ PERF_MEM_LVL_IO, "I/O" },
		{ PERF_MEM_LVL_UNC, "uncached" },
	};
	unsigned level = (unsigned)(source >> PERF_MEM_LVL_SHIFT) & 0x3fff;
	const char *operation = first_of((unsigned)source & 0x1f, operations,
					 sizeof(operations) / sizeof(operations[0]));
	const char *where = first_of(level, levels, sizeof(levels) / sizeof(levels[0]));

	snprintf(text, bytes, "[%s%s%s%s]", operation ? operation : "access", where ? " " : "",
		 where ? where : "",
		 (level & HIT_OR_MISS) == PERF_MEM_LVL_HIT    ? " hit"
		 : (level & HIT_OR_MISS) == PERF_MEM_LVL_MISS ? " miss"
							      : "");
}

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

/* Returns the variable in which an address of the file lies, demangled, with the offset in it
 * unless it is its first byte: "account", "account+0x10".  To be freed; NULL: none is known.  Each
 * address asks the symbol table anew, from one end to the other: a profile has few addresses of
 * data. */
static char *find_variable(const struct symbols_elf_file *file, uint64_t address)
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

/* A variable, or an offset in the module. */
static void address_text(uint64_t address, const struct spool_module *module, const char *base,
			 const struct symbols *symbols, char *text, size_t bytes)
{
	uint64_t offset = module ? address - module->bias : address;
	char *variable = symbols ? find_variable(symbols_file(symbols), offset) : NULL;

	if (variable)
		snprintf(text, bytes, "[data %s]", variable);
	else
		snprintf(text, bytes, "[data %s%s0x%llx]", base ? base : "", base ? "+" : "",
			 (unsigned long long)offset);
	free(variable);
}

void data_frame_text(uint64_t pc, const struct spool_module *module, const struct symbols *symbols,
		     char *text, size_t bytes)
{
	char base[SPOOL_PATH_MAX];
	uint64_t address;

	if (module)
		modules_base(module, base, sizeof(base));
	if (pc >= SPOOL_PC_REGION)
		region_text(pc, module ? base : NULL, text, bytes);
	else if (data_frame_address(pc, &address))
		address_text(address, module, module ? base : NULL, symbols, text, bytes);
	else
		memory_text(pc - SPOOL_PC_MEMORY, text, bytes);
}

bool data_frame_is_text(const char *text)
{
	static const char *const begins[] = {
		"[data ",
		"[file ",
		"[stack]",
		"[heap]",
		"[anonymous mapping]",
		"[unknown mapping]",
		"[load",
		"[store",
		"[prefetch",
		"[execute",
		"[access",
	};

	for (size_t i = 0; i < sizeof(begins) / sizeof(begins[0]); i++)
		if (!strncmp(text, begins[i], strlen(begins[i])))
			return true;
	return false;
}
