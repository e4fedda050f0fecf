/*
 * The steps from an address to a name: pseudo address, kernel, module, then the module's file, and
 * the JIT's map for addresses that no file explains.
 */
#include "runtime/profile/symbols/namer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/code_names.h"
#include "runtime/profile/symbols/data_frames.h"
#include "runtime/profile/symbols/demangle.h"
#include "runtime/profile/symbols/jit.h"
#include "runtime/profile/symbols/kernel.h"
#include "runtime/profile/symbols/machine.h"
#include "runtime/profile/symbols/modules.h"
#include "runtime/profile/debuginfo/source.h"
#include "runtime/profile/symbols/symbols.h"

#define CHANGED " [file changed]"

_Static_assert(SOURCE_FRAMES_MAX <= NAMER_FRAMES_MAX, "each of an address has a name");

struct namer {
	struct string_table *strings;
	struct machine *machine;
	struct map functions; /* {file, start of the function} to name */
	struct map symbols;   /* name to the symbol that it was made of, if their texts differ */
	bool demangle;
	bool tidy;

	/* The fields below are of one spool. */
	const struct spool_read *spool;
	struct modules *modules;
	struct map addresses; /* {pc, generation} to name */
	struct jit *jit;      /* read at the first address that no file explains */
	bool same_kernel;     /* of the spool; valid if kernel_asked */
	bool kernel_asked;
};

struct namer *namer_new(struct string_table *strings, struct machine *machine, bool demangle,
			bool tidy)
{
	struct namer *namer = calloc(1, sizeof(*namer));

	if (!namer)
		return NULL;
	namer->strings = strings;
	namer->machine = machine;
	namer->demangle = demangle;
	namer->tidy = tidy;
	return namer;
}

void namer_free(struct namer *namer)
{
	if (!namer)
		return;
	map_free(&namer->functions);
	map_free(&namer->symbols);
	free(namer);
}

/* A spool without samples does not need this check. */
static bool is_same_kernel(struct namer *namer)
{
	if (!namer->kernel_asked)
		namer->same_kernel = kernel_is_same(&namer->spool->header);
	namer->kernel_asked = true;
	return namer->same_kernel;
}

/* Returns NULL if there are none, or they are our own. */
static struct symbols *symbols_of(struct namer *namer, const struct spool_module *module)
{
	struct symbols *symbols = NULL;

	if (module && !(module->flags & SPOOL_MODULE_OURS))
		machine_open(namer->machine, module, is_same_kernel(namer), &symbols);
	return symbols;
}

int namer_begin(struct namer *namer, const struct spool_read *spool)
{
	namer->spool = spool;
	namer->kernel_asked = false;
	machine_begin(namer->machine, &spool->header);
	namer->modules = modules_new(spool->modules, spool->module_count);
	return namer->modules ? 0 : -ENOMEM;
}

void namer_end(struct namer *namer)
{
	modules_free(namer->modules);
	map_free(&namer->addresses);
	jit_free(namer->jit);
	namer->modules = NULL;
	namer->jit = NULL;
	namer->spool = NULL;
	machine_begin(namer->machine, NULL);
}

uint32_t namer_text(struct namer *namer, const char *text, const char *ending)
{
	size_t length = strlen(text), ending_length = strlen(ending);
	char *copy = malloc(length + ending_length + 1);
	uint32_t name;

	if (!copy)
		return 0;
	memcpy(copy, text, length + 1);
	length = demangle_clean(copy);
	memcpy(copy + length, ending, ending_length + 1);
	name = string_table_intern(namer->strings, copy, length + ending_length);
	free(copy);
	return name;
}

/* Functions of one name (a constructor's two variants) share the symbol of the first. */
static uint32_t remember_symbol(struct namer *namer, uint32_t name, const char *symbol)
{
	uint32_t number = string_table_intern(namer->strings, symbol, strlen(symbol));
	uint32_t *known = map_at(&namer->symbols, name, 0);

	if (!number || !known)
		return 0;
	*known = *known ? *known : number;
	return name;
}

/* A stub ("malloc@plt") is named after its target. */
static uint32_t symbol_name(struct namer *namer, const char *symbol, const char *ending)
{
	size_t length = strlen(symbol);
	bool stub = length > 4 && !strcmp(symbol + length - 4, "@plt");
	char *plain = strndup(symbol, stub ? length - 4 : length);
	char *demangled = NULL;
	uint32_t name = 0;

	if (!plain)
		return 0;
	demangle_plain(plain);
	if (namer->tidy)
		demangle_tidy(plain);
	if (namer->demangle)
		demangled = demangle_symbol(plain);
	name = namer_text(namer, demangled ? demangled : plain, stub ? "@plt" : ending);
	name = name && demangled ? remember_symbol(namer, name, plain) : name;
	free(demangled);
	free(plain);
	return name;
}

/* The kernel's own record of code that it made comes first: kallsyms is of now. */
static uint32_t kernel_name(struct namer *namer, uint64_t pc, uint32_t generation)
{
	const struct spool_module *made = modules_find(namer->modules, pc, generation);
	const struct kernel *kernel = NULL;
	const char *symbol;

	if (made && (made->flags & SPOOL_MODULE_KERNEL) && made->path[0])
		return symbol_name(namer, made->path, "_[k]");
	if (is_same_kernel(namer))
		kernel = machine_kernel(namer->machine);
	symbol = kernel ? kernel_find(kernel, pc) : NULL;
	return symbol ? symbol_name(namer, symbol, "_[k]") : namer_text(namer, "[kernel]", "_[k]");
}

/* Returns the name that a JIT gave to the code, or 0. */
static uint32_t jit_name(struct namer *namer, uint64_t pc)
{
	const char *text, *ending;

	if (!namer->jit)
		namer->jit = jit_new(namer->spool);
	text = namer->jit ? jit_frame_find(namer->jit, pc, &ending) : NULL;
	return text ? namer_text(namer, text, ending) : 0;
}

static uint32_t unknown_name(struct namer *namer, const struct spool_module *module, uint32_t file,
			     uint64_t pc)
{
	const struct spool_module *function =
		module ? spool_read_function(namer->spool, module, pc) : NULL;
	char base[SPOOL_PATH_MAX], text[SPOOL_PATH_MAX + 2];
	uint32_t name = function ? symbol_name(namer, function->path, "") : jit_name(namer, pc);

	if (name)
		return name;
	if (!module || !module->path[0])
		return namer_text(namer, "[unknown]", "");
	modules_base(module, base, sizeof(base));
	snprintf(text, sizeof(text), base[0] == '[' ? "%s" : "[%s]", base);
	return namer_text(namer, text, machine_is_changed(namer->machine, file) ? CHANGED : "");
}

static uint32_t function_name(struct namer *namer, const struct spool_module *module,
			      const struct symbols_found *found)
{
	char base[SPOOL_PATH_MAX], start[32];

	if (found->kind == SYMBOLS_NAMED)
		return symbol_name(namer, found->name, "");
	modules_base(module, base, sizeof(base));
	snprintf(start, sizeof(start), "@0x%llx", (unsigned long long)found->start);
	return namer_text(namer, base, start);
}

static uint32_t user_name(struct namer *namer, uint64_t pc, uint32_t generation)
{
	const struct spool_module *module = modules_find(namer->modules, pc, generation);
	struct symbols_found found = { .kind = SYMBOLS_UNKNOWN };
	struct symbols *symbols = NULL;
	uint32_t file = 0, *name;

	if (module && (module->flags & SPOOL_MODULE_OURS))
		return NAMER_OURS;
	if (module)
		file = machine_open(namer->machine, module, is_same_kernel(namer), &symbols);
	if (symbols)
		found = symbols_find(symbols, pc - module->bias);
	if (found.kind == SYMBOLS_UNKNOWN)
		return unknown_name(namer, module, file, pc);
	name = map_at(&namer->functions, file, found.start);
	if (name && !*name)
		*name = function_name(namer, module, &found);
	return name ? *name : 0;
}

static uint32_t data_frame_name(struct namer *namer, uint64_t pc, uint32_t generation)
{
	const struct spool_module *module = NULL;
	char text[2 * SPOOL_PATH_MAX];
	uint64_t address;

	if (data_frame_in_module(pc, &address))
		module = modules_find(namer->modules, address, generation);
	data_frame_text(pc, module, symbols_of(namer, module), text, sizeof(text));
	return namer_text(namer, text, "");
}

/* Returns the frame of an interpreted function or module; the text is freed. */
static uint32_t code_name(struct namer *namer, char *text)
{
	uint32_t name = text ? namer_text(namer, text, "_[p]") : 0;

	free(text);
	return name;
}

uint32_t namer_name(struct namer *namer, uint64_t pc, uint32_t generation)
{
	uint32_t *name = map_at(&namer->addresses, pc, generation);

	if (!name || *name)
		return name ? *name : 0;
	if (pc < SPOOL_PC_LIMIT)
		*name = namer_text(namer, special_pc_name(pc), "");
	else if (kernel_owns(pc))
		*name = kernel_name(namer, pc, generation);
	else if (data_frame_is(pc))
		*name = data_frame_name(namer, pc, generation);
	else if (spool_code_is(pc))
		*name = code_name(namer, code_names_function(namer->spool, pc));
	else
		*name = user_name(namer, pc, generation);
	return *name;
}

uint64_t namer_kernel_address(struct namer *namer, const char *name)
{
	const struct kernel *kernel = machine_kernel(namer->machine);

	return kernel ? kernel_address(kernel, name) : 0;
}

bool namer_offset(struct namer *namer, uint64_t pc, uint32_t generation, uint64_t *offset)
{
	const struct spool_module *module = namer_module(namer, pc, generation);
	struct symbols *symbols = symbols_of(namer, module);
	struct symbols_found found;

	if (!symbols)
		return false;
	found = symbols_find(symbols, pc - module->bias);
	*offset = pc - module->bias - found.start;
	return found.kind != SYMBOLS_UNKNOWN;
}

const char *namer_plain(const struct namer *namer, uint32_t name)
{
	return string_table_text(namer->strings, name);
}

static bool fill_frame(struct namer *namer, const struct source_frame *from,
		       struct namer_frame *frame)
{
	const char *directory = from->directory ? from->directory : "";
	bool placed = from->file && from->line > 0;

	if (from->name)
		frame->name = symbol_name(namer, from->name, "");
	frame->directory = string_table_intern(namer->strings, directory, strlen(directory));
	if (placed)
		frame->file = string_table_intern(namer->strings, from->file, strlen(from->file));
	frame->line = placed ? (uint32_t)from->line : frame->line;
	frame->start_line = from->start_line > 0 ? (uint32_t)from->start_line : 0;
	return frame->name && (!placed || frame->file);
}

/* Fills in the source line that a run-time compiler reported for its code. */
static void jit_frame(const struct namer *namer, uint64_t pc, struct namer_frame *frame)
{
	const char *file;

	if (!namer->jit || pc < SPOOL_PC_LIMIT || kernel_owns(pc) || data_frame_is(pc) ||
	    !jit_line(namer->jit, pc, &file, &frame->line))
		return;
	frame->file = string_table_intern(namer->strings, file, strlen(file));
}

static bool code_frame(const struct namer *namer, uint64_t pc, struct namer_frame *frame)
{
	struct code_names_place place;

	if (!code_names_place(namer->spool, pc, &place))
		return true;
	frame->file = string_table_intern(namer->strings, place.file, place.file_bytes);
	frame->line = place.line;
	frame->start_line = place.start_line;
	return frame->file;
}

size_t namer_frames(struct namer *namer, uint64_t pc, uint32_t generation,
		    struct namer_frame frames[NAMER_FRAMES_MAX])
{
	const struct spool_module *module = namer_module(namer, pc, generation);
	struct symbols *symbols = symbols_of(namer, module);
	struct source *source = symbols ? machine_source(namer->machine, symbols) : NULL;
	struct source_frame found[SOURCE_FRAMES_MAX];
	size_t count = source ? source_find(source, pc - module->bias, found) : 0;

	frames[0] = (struct namer_frame){ .name = namer_name(namer, pc, generation) };
	if (spool_code_is(pc))
		return frames[0].name && code_frame(namer, pc, &frames[0]);
	if (frames[0].name && !module)
		jit_frame(namer, pc, &frames[0]);
	for (size_t i = 0; i < count; i++) {
		if (i)
			frames[i] = (struct namer_frame){ 0 };
		if (!fill_frame(namer, &found[count - 1 - i], &frames[i]))
			return 0;
	}
	return !frames[0].name ? 0 : count ? count : 1;
}

uint32_t namer_module_name(struct namer *namer, uint64_t pc, uint32_t generation)
{
	const struct spool_module *module = namer_module(namer, pc, generation);
	char base[SPOOL_PATH_MAX];

	if (pc >= SPOOL_PC_LIMIT && kernel_owns(pc))
		return namer_text(namer, "[kernel]", "_[k]");
	if (spool_code_is(pc))
		return code_name(namer, code_names_module(namer->spool, pc));
	if (!module || !module->path[0])
		return namer_name(namer, pc, generation);
	if (module->flags & SPOOL_MODULE_OURS)
		return NAMER_OURS;
	modules_base(module, base, sizeof(base));
	return namer_text(namer, base, "");
}

uint32_t namer_symbol(struct namer *namer, uint32_t name)
{
	const uint32_t *symbol = map_at(&namer->symbols, name, 0);

	return symbol && *symbol ? *symbol : name;
}

const struct spool_module *namer_module(const struct namer *namer, uint64_t pc, uint32_t generation)
{
	if (pc < SPOOL_PC_LIMIT || kernel_owns(pc) || spool_code_is(pc))
		return NULL;
	return modules_find(namer->modules, pc, generation);
}
