/*
 * The tables of libc.so.6 are read as the loader left them (elf(5); the hash table as in
 * https://sourceware.org/gnu-gabi/program-loading-and-dynamic-linking.txt).  dlsym(3) would be
 * another name that some other library may have taken.  Two names remain, both of data: _r_debug,
 * in which the loader shows debuggers its list of objects, and __environ, of which the program may
 * have the only copy.  Only glibc's loader has _r_debug.  Other loaders, such as musl's, report
 * that and refuse us.
 *
 * Law: nothing here calls a function of another object.  The first call may come from another
 * library's constructor, before any of ours, or from a handler.
 */
#include "preload/libc/libc.h"

#include <gnu/lib-names.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "runtime/sample/elf/loader.h"

#define OBJECTS_MAX    256
#define VERSION_HIDDEN 0x8000 /* not the version to be linked with */

static struct libc own;
static _Atomic int ready;

/* True if the object gives itself this name. */
static bool is_called(const struct link_map *map, const char *wanted)
{
	uint64_t names = loader_dynamic(map, DT_STRTAB), name = loader_dynamic(map, DT_SONAME);

	/* Only in the vDSO does the loader not relocate this section. */
	return name && names > map->l_addr && !strcmp((const char *)names + name, wanted);
}

static bool is_libc(const struct link_map *map)
{
	return is_called(map, LIBC_SO);
}

static bool read_tables(const struct link_map *map, struct libc_tables *tables)
{
	tables->names = (const char *)loader_dynamic(map, DT_STRTAB);	     /* NOLINT */
	tables->symbols = (const void *)loader_dynamic(map, DT_SYMTAB);	     /* NOLINT */
	tables->versions = (const uint16_t *)loader_dynamic(map, DT_VERSYM); /* NOLINT */
	tables->hash = (const uint32_t *)loader_dynamic(map, DT_GNU_HASH);   /* NOLINT */
	tables->bias = map->l_addr;
	/* a value that the loader did not relocate, as in the vDSO, is no address */
	return (uint64_t)tables->names > map->l_addr && tables->symbols && tables->hash;
}

static bool find_tables(struct libc_tables *tables)
{
	const struct link_map *map = _r_debug.r_map;

	while (map && !is_libc(map))
		map = map->l_next;
	return map && read_tables(map, tables) && tables->versions;
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

static bool is_wanted(const struct libc_tables *tables, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &tables->symbols[index];

	return !(tables->versions[index] & VERSION_HIDDEN) && symbol->st_shndx != SHN_UNDEF &&
	       ELF64_ST_TYPE(symbol->st_info) == STT_FUNC &&
	       !strcmp(tables->names + symbol->st_name, name);
}

/* The first symbol of that name for which `fits` is true, or NULL if there is none. */
static const ElfW(Sym) * find_symbol(const struct libc_tables *tables, const char *name,
				     uint32_t hash,
				     bool (*fits)(const struct libc_tables *tables, uint32_t index,
						  const char *name))
{
	uint32_t count = tables->hash[0], first = tables->hash[1], filter_words = tables->hash[2];
	const uint32_t *buckets = tables->hash + 4 + 2 * (size_t)filter_words;
	const uint32_t *chains = buckets + count;
	uint32_t index = count ? buckets[hash % count] : 0;

	if (index < first || !index)
		return NULL;
	for (;; index++) {
		uint32_t entry = chains[index - first];

		if ((entry | 1) == (hash | 1) && fits(tables, index, name))
			return &tables->symbols[index];
		if (entry & 1)
			return NULL;
	}
}

static void *find(const struct libc_tables *tables, const char *name, uint32_t hash)
{
	const ElfW(Sym) *symbol = find_symbol(tables, name, hash, is_wanted);

	return symbol ? (void *)(tables->bias + symbol->st_value) : NULL; /* NOLINT */
}

#define LOOK_UP(result, name, parameters, ...) \
	own.name = (result(*) parameters)find(&tables, #name, hash_of(#name));

const struct libc *libc_own(void)
{
	struct libc_tables tables;

	/* Two threads may both look them up: they write the same values. */
	if (!atomic_load_explicit(&ready, memory_order_acquire) && find_tables(&tables)) {
		LIBC_HIDDEN(LOOK_UP)
		LIBC_OWN(LOOK_UP)
		atomic_store_explicit(&ready, 1, memory_order_release);
	}
	return &own;
}

/* True for the name in any version and of any kind. */
static bool is_defined(const struct libc_tables *tables, uint32_t index, const char *name)
{
	return !strcmp(tables->names + tables->symbols[index].st_name, name);
}

/* The loader's list has the objects of the program's start, libc among them, in the order in
 * which names are looked up. */
void libc_scope_read(struct libc_scope *scope)
{
	const struct link_map *map = _r_debug.r_map;

	scope->count = 0;
	scope->usable = find_tables(&scope->libc);
	while (map && map->l_ld != _DYNAMIC) /* until our own, as the linker defines it */
		map = map->l_next;
	scope->known = map;
	for (map = map ? map->l_next : NULL; scope->known && map && !is_libc(map);
	     map = map->l_next) {
		scope->known = scope->count < LIBC_BETWEEN_MAX &&
			       read_tables(map, &scope->between[scope->count]);
		scope->count++;
	}
	if (!map)
		scope->known = false;
}

void *libc_scope_find(const struct libc_scope *scope, const char *name, bool *taken)
{
	uint32_t hash = hash_of(name);

	*taken = !scope->known;
	if (!scope->usable)
		return NULL;
	for (unsigned i = 0; !*taken && i < scope->count; i++)
		*taken = find_symbol(&scope->between[i], name, hash, is_defined);
	return find(&scope->libc, name, hash);
}

struct closure {
	const struct link_map *map[OBJECTS_MAX];
	unsigned count;
};

/* Names are compared as the loader does: with the path, or with the name that the object gives
 * itself. */
static bool is_named(const struct link_map *map, const char *wanted)
{
	const char *slash = strrchr(map->l_name, '/');

	return !strcmp(slash && !strchr(wanted, '/') ? slash + 1 : map->l_name, wanted) ||
	       is_called(map, wanted);
}

static void add_needed(struct closure *closure, const char *wanted)
{
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		if (!is_named(map, wanted))
			continue;
		for (unsigned i = 0; i < closure->count; i++)
			if (closure->map[i] == map)
				return;
		if (closure->count < OBJECTS_MAX)
			closure->map[closure->count++] = map;
		return;
	}
}

bool libc_is_used(void)
{
	struct closure closure = { .count = 0 };

	if (!_r_debug.r_map)
		return false;
	closure.map[closure.count++] = _r_debug.r_map; /* the program itself */
	for (unsigned i = 0; i < closure.count; i++) {
		const char *names = (const char *)loader_dynamic(closure.map[i], DT_STRTAB);

		if (is_libc(closure.map[i]))
			return true;
		for (const ElfW(Dyn) *entry = closure.map[i]->l_ld; entry->d_tag != DT_NULL;
		     entry++) {
			if (entry->d_tag != DT_NEEDED)
				continue;
			if (!strcmp(names + entry->d_un.d_val, LIBC_SO))
				return true;
			add_needed(&closure, names + entry->d_un.d_val);
		}
	}
	return closure.count == OBJECTS_MAX; /* true if not all objects were looked at */
}

#define DEFINE(result, name, parameters, arguments) \
	result name parameters                      \
	{                                           \
		return libc_own()->name arguments;  \
	}

LIBC_HIDDEN(DEFINE)
