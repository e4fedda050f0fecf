/*
 * From an address to a name: pseudo address, kernel, module, then the module's file, and the
 * JIT's map for what no file explains.
 */
#include "runtime/fold/namer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/datum.h"
#include "runtime/fold/demangle.h"
#include "runtime/fold/files.h"
#include "runtime/fold/jit.h"
#include "runtime/fold/kernel.h"
#include "runtime/fold/lists.h"
#include "runtime/fold/map.h"
#include "runtime/fold/modules.h"
#include "runtime/fold/names.h"
#include "runtime/fold/pseudo.h"
#include "runtime/fold/source.h"
#include "runtime/fold/spool_read.h"
#include "runtime/fold/symbols.h"

#define SOURCES_OPEN 64 /* files whose lines are at hand: each takes up to two descriptors */

_Static_assert(SOURCE_FRAMES_MAX <= NAMER_FRAMES_MAX, "each of an address has a name");

struct namer {
	struct names *names;
	struct files *files;
	struct map *functions; /* {file, start of the function} to name */
	struct map *symbols;   /* name to the symbol it was made of, where that is another text */
	struct kernel *kernel; /* read at the first kernel address */
	bool demangle;

	struct symbols *sourced[SOURCES_OPEN]; /* a ring of those whose source is open */
	unsigned next_sourced;

	/* Of one spool. */
	const struct spool_read *spool;
	struct modules *modules;
	struct map *addresses; /* {pc, generation} to name */
	struct jit *jit;       /* read at the first address that no file explains */
	bool same_kernel;
	struct lists *frames; /* {pc, generation} to names, as namer_frames returns them */
};

struct namer *namer_new(struct names *names, bool demangle, void (*warn)(const char *line))
{
	struct namer *namer = calloc(1, sizeof(*namer));

	if (!namer)
		return NULL;
	namer->names = names;
	namer->demangle = demangle;
	namer->files = files_new(warn);
	namer->functions = map_new();
	namer->symbols = map_new();
	if (namer->files && namer->functions && namer->symbols)
		return namer;
	namer_free(namer);
	return NULL;
}

void namer_free(struct namer *namer)
{
	if (!namer)
		return;
	files_free(namer->files);
	map_free(namer->functions);
	map_free(namer->symbols);
	kernel_free(namer->kernel);
	free(namer);
}

int namer_begin(struct namer *namer, const struct spool_read *spool)
{
	namer->spool = spool;
	namer->same_kernel = kernel_is_same(&spool->header);
	namer->modules = modules_new(spool->modules, spool->module_count);
	namer->addresses = map_new();
	namer->frames = lists_new();
	if (namer->modules && namer->addresses && namer->frames)
		return 0;
	namer_end(namer);
	return -ENOMEM;
}

void namer_end(struct namer *namer)
{
	modules_free(namer->modules);
	map_free(namer->addresses);
	lists_free(namer->frames);
	jit_free(namer->jit);
	namer->modules = NULL;
	namer->addresses = NULL;
	namer->frames = NULL;
	namer->jit = NULL;
	namer->spool = NULL;
}

uint32_t namer_text(struct namer *namer, const char *text, const char *ending)
{
	size_t length = strlen(text);
	size_t ending_length = strlen(ending);
	char *copy = malloc(length + ending_length + 1);
	uint32_t name;

	if (!copy)
		return 0;
	memcpy(copy, text, length + 1);
	length = demangle_clean(copy);
	memcpy(copy + length, ending, ending_length + 1);
	name = names_intern(namer->names, copy, length + ending_length);
	free(copy);
	return name;
}

/* Functions of one name (a constructor's two variants) share the first one's symbol. */
static uint32_t remember_symbol(struct namer *namer, uint32_t name, const char *symbol)
{
	uint32_t number = names_intern(namer->names, symbol, strlen(symbol));
	uint32_t *known = map_at(namer->symbols, name, 0);

	if (!number || !known)
		return 0;
	if (!*known)
		*known = number;
	return name;
}

/* A stub ("malloc@plt") is named by what it jumps to. */
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
	if (namer->demangle)
		demangled = demangle_symbol(plain);
	name = namer_text(namer, demangled ? demangled : plain, stub ? "@plt" : ending);
	if (name && demangled)
		name = remember_symbol(namer, name, plain);
	free(demangled);
	free(plain);
	return name;
}

/* What the kernel itself said of code it made comes first: kallsyms may have other code there by
 * now. */
static uint32_t kernel_name(struct namer *namer, uint64_t pc, uint32_t generation)
{
	const struct spool_module *made = modules_find(namer->modules, pc, generation);
	const char *symbol = NULL;

	if (made && (made->flags & SPOOL_MODULE_KERNEL) && made->path[0])
		return symbol_name(namer, made->path, "_[k]");
	if (!namer->kernel && namer->same_kernel)
		namer->kernel = kernel_new();
	if (namer->kernel && namer->same_kernel)
		symbol = kernel_find(namer->kernel, pc);
	return symbol ? symbol_name(namer, symbol, "_[k]") : namer_text(namer, "[kernel]", "_[k]");
}

/* The name a JIT gave to the code, or 0. */
static uint32_t jit_name(struct namer *namer, uint64_t pc)
{
	const struct spool_header *header = &namer->spool->header;
	const char *text;

	if (!namer->jit)
		namer->jit = jit_new(header->pid, header->uid, header->start_realtime_ns);
	text = namer->jit ? jit_find(namer->jit, pc) : NULL;
	return text ? namer_text(namer, text, "_[j]") : 0;
}

static uint32_t unknown_name(struct namer *namer, const struct spool_module *module, uint64_t pc)
{
	char base[SPOOL_PATH_MAX];
	char text[SPOOL_PATH_MAX + 2];
	uint32_t name = jit_name(namer, pc);

	if (name)
		return name;
	if (!module || !module->path[0])
		return namer_text(namer, "[unknown]", "");
	modules_base(module, base, sizeof(base));
	snprintf(text, sizeof(text), base[0] == '[' ? "%s" : "[%s]", base);
	return namer_text(namer, text, "");
}

static uint32_t function_name(struct namer *namer, const struct spool_module *module,
			      const struct symbols_found *found)
{
	char base[SPOOL_PATH_MAX];
	char start[32];

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
	uint32_t file = 0;
	uint32_t *name;

	if (module && (module->flags & SPOOL_MODULE_OURS))
		return NAMER_OURS;
	if (module)
		file = files_open(namer->files, module, namer->same_kernel, &symbols);
	if (symbols)
		found = symbols_find(symbols, pc - module->bias);
	if (found.kind == SYMBOLS_UNKNOWN)
		return unknown_name(namer, module, pc);
	name = map_at(namer->functions, file, found.start);
	if (name && !*name)
		*name = function_name(namer, module, &found);
	return name ? *name : 0;
}

static uint32_t datum_name(struct namer *namer, uint64_t pc, uint32_t generation)
{
	const struct spool_module *module = NULL;
	char base[SPOOL_PATH_MAX], text[SPOOL_PATH_MAX + 64];
	uint64_t address;

	if (datum_has_address(pc, &address))
		module = modules_find(namer->modules, address, generation);
	if (module)
		modules_base(module, base, sizeof(base));
	datum_text(pc, module, module ? base : NULL, text, sizeof(text));
	return namer_text(namer, text, "");
}

uint32_t namer_name(struct namer *namer, uint64_t pc, uint32_t generation)
{
	uint32_t *name = map_at(namer->addresses, pc, generation);

	if (!name)
		return 0;
	if (*name)
		return *name;
	if (pc < SPOOL_PC_LIMIT)
		*name = namer_text(namer, pseudo_text(pc), "");
	else if (kernel_owns(pc))
		*name = kernel_name(namer, pc, generation);
	else if (datum_owns(pc))
		*name = datum_name(namer, pc, generation);
	else
		*name = user_name(namer, pc, generation);
	return *name;
}

bool namer_offset(struct namer *namer, uint64_t pc, uint32_t generation, uint64_t *offset)
{
	const struct spool_module *module = namer_module(namer, pc, generation);
	struct symbols_found found = { .kind = SYMBOLS_UNKNOWN };
	struct symbols *symbols = NULL;

	if (!module || (module->flags & SPOOL_MODULE_OURS))
		return false;
	files_open(namer->files, module, namer->same_kernel, &symbols);
	if (symbols)
		found = symbols_find(symbols, pc - module->bias);
	*offset = pc - module->bias - found.start;
	return found.kind != SYMBOLS_UNKNOWN;
}

const char *namer_plain(const struct namer *namer, uint32_t name)
{
	return names_text(namer->names, name);
}

/* Lines of the file that a user's address lies in; NULL if there are none. */
static struct source *find_source(struct namer *namer, const struct spool_module *module)
{
	struct symbols **slot = &namer->sourced[namer->next_sourced];
	struct symbols *symbols = NULL;
	struct source *source;

	if (!module || (module->flags & SPOOL_MODULE_OURS))
		return NULL;
	files_open(namer->files, module, namer->same_kernel, &symbols);
	source = symbols ? symbols_source(symbols) : NULL;
	for (unsigned i = 0; source && i < SOURCES_OPEN; i++)
		if (namer->sourced[i] == symbols)
			return source;
	if (!source)
		return NULL;
	if (*slot)
		symbols_close_source(*slot);
	*slot = symbols;
	namer->next_sourced = (namer->next_sourced + 1) % SOURCES_OPEN;
	return source;
}

/* A function's name with the line, if it is known, and an ending. */
static uint32_t line_name(struct namer *namer, uint32_t name, const struct source_frame *frame,
			  const char *ending)
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;
	char *text;
	uint32_t made;

	if (!name || name == NAMER_OURS || !frame->file || frame->line <= 0) {
		return name && *ending ? namer_text(namer, names_text(namer->names, name), ending)
				       : name;
	}
	if (asprintf(&text, "%s:%s:%d", names_text(namer->names, name),
		     slash ? slash + 1 : frame->file, frame->line) < 0)
		return 0;
	made = namer_text(namer, text, ending);
	free(text);
	return made;
}

/* Fill a list, outermost first.  Returns its length, or 0 when memory is out. */
static size_t make_frames(struct namer *namer, uint64_t pc, uint32_t generation, bool inlined,
			  bool lines, uint32_t *list)
{
	const struct spool_module *module = namer_module(namer, pc, generation);
	struct source *source = find_source(namer, module);
	struct source_frame frames[SOURCE_FRAMES_MAX];
	size_t count = source ? source_find(source, pc - module->bias, frames) : 0;
	size_t first = inlined || !count ? 0 : count - 1;
	size_t used = 0;

	list[used] = namer_name(namer, pc, generation);
	if (count && lines)
		list[used] = line_name(namer, list[used], &frames[count - 1], "");
	for (size_t i = count; i-- > first + 1;) {
		struct source_frame *frame = &frames[i - 1];

		if (!lines)
			frame->file = NULL;
		list[++used] = line_name(namer, symbol_name(namer, frame->name, ""), frame, "_[i]");
	}
	for (size_t i = 0; i <= used; i++)
		if (!list[i])
			return 0;
	return used + 1;
}

size_t namer_frames(struct namer *namer, uint64_t pc, uint32_t generation, bool inlined, bool lines,
		    const uint32_t **names)
{
	size_t count = lists_find(namer->frames, pc, generation, names);
	uint32_t list[NAMER_FRAMES_MAX];

	if (count)
		return count;
	count = make_frames(namer, pc, generation, inlined, lines, list);
	if (!count || lists_add(namer->frames, pc, generation, list, count))
		return 0;
	return lists_find(namer->frames, pc, generation, names);
}

uint32_t namer_module_name(struct namer *namer, uint64_t pc, uint32_t generation)
{
	const struct spool_module *module = namer_module(namer, pc, generation);
	char base[SPOOL_PATH_MAX];

	if (pc >= SPOOL_PC_LIMIT && kernel_owns(pc))
		return namer_text(namer, "[kernel]", "_[k]");
	if (!module || !module->path[0])
		return namer_name(namer, pc, generation);
	if (module->flags & SPOOL_MODULE_OURS)
		return NAMER_OURS;
	modules_base(module, base, sizeof(base));
	return namer_text(namer, base, "");
}

uint32_t namer_symbol(struct namer *namer, uint32_t name)
{
	const uint32_t *symbol = map_at(namer->symbols, name, 0);

	return symbol && *symbol ? *symbol : name;
}

const struct spool_module *namer_module(const struct namer *namer, uint64_t pc, uint32_t generation)
{
	if (pc < SPOOL_PC_LIMIT || kernel_owns(pc))
		return NULL;
	return modules_find(namer->modules, pc, generation);
}
