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
#include <string.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/sys/thread_pointer.h"

#define OBJECTS_MAX    256
#define VERSION_HIDDEN 0x8000	   /* not the version to be linked with */
#define MODE_OF_DLOPEN 0x80000000U /* __RTLD_DLOPEN of glibc's include/dlfcn.h */

/* In the order in which they are searched.  gnu/lib-names.h */
static const char *const homes[LIBC_HOMES_MAX] = { LIBC_SO, LIBPTHREAD_SO, LIBDL_SO, LD_SO };

static struct libc own;
static _Atomic int ready;

int libc_no_errno;

static const char *name_of(const struct link_map *map)
{
	uint64_t names = loader_dynamic(map, DT_STRTAB), name = loader_dynamic(map, DT_SONAME);

	/* Only in the vDSO does the loader not relocate this section. */
	return name && names > map->l_addr ? (const char *)names + name : NULL; /* NOLINT */
}

static bool is_called(const struct link_map *map, const char *wanted)
{
	const char *name = name_of(map);

	return name && !strcmp(name, wanted);
}

static bool is_libc(const struct link_map *map)
{
	return is_called(map, LIBC_SO);
}

const struct link_map *libc_object(const char *name)
{
	const struct link_map *map = _r_debug.r_map;

	while (map && !is_called(map, name))
		map = map->l_next;
	return map;
}

static bool read_tables(const struct link_map *map, struct libc_tables *tables)
{
	tables->names = (const char *)loader_dynamic(map, DT_STRTAB);	     /* NOLINT */
	tables->symbols = (const void *)loader_dynamic(map, DT_SYMTAB);	     /* NOLINT */
	tables->versions = (const uint16_t *)loader_dynamic(map, DT_VERSYM); /* NOLINT */
	tables->hash = (const uint32_t *)loader_dynamic(map, DT_GNU_HASH);   /* NOLINT */
	tables->bias = map->l_addr;
	/* a value that the loader did not relocate, as in the vDSO, is no address */
	tables->usable = (uint64_t)tables->names > map->l_addr && tables->symbols && tables->hash;
	return tables->usable;
}

static void read_homes(struct libc_tables home[LIBC_HOMES_MAX])
{
	memset(home, 0, LIBC_HOMES_MAX * sizeof(*home));
	for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
		const char *name = name_of(map);

		for (unsigned i = 0; name && i < LIBC_HOMES_MAX; i++)
			if (!home[i].usable && !strcmp(name, homes[i]))
				read_tables(map, &home[i]);
	}
}

static uint32_t hash_of(const char *name)
{
	uint32_t hash = 5381;

	for (; *name; name++)
		hash = hash * 33 + (unsigned char)*name;
	return hash;
}

/* True for the version that a name without one means (dlsym(3)). */
static bool is_wanted(const struct libc_tables *tables, uint32_t index, const char *name)
{
	const ElfW(Sym) *symbol = &tables->symbols[index];

	return !(tables->versions && tables->versions[index] & VERSION_HIDDEN) &&
	       symbol->st_shndx != SHN_UNDEF && !strcmp(tables->names + symbol->st_name, name);
}

static const ElfW(Sym) *
	find_symbol(const struct libc_tables *tables, const char *name, uint32_t hash)
{
	uint32_t count = tables->hash[0], first = tables->hash[1], filter_words = tables->hash[2];
	const uint32_t *buckets = tables->hash + 4 + 2 * (size_t)filter_words;
	const uint32_t *chains = buckets + count;
	uint32_t index = count ? buckets[hash % count] : 0;

	if (index < first || !index)
		return NULL;
	for (;; index++) {
		uint32_t entry = chains[index - first];

		if ((entry | 1) == (hash | 1) && is_wanted(tables, index, name))
			return &tables->symbols[index];
		if (entry & 1)
			return NULL;
	}
}

static void *address_of(const struct libc_tables *tables, const ElfW(Sym) * symbol)
{
	return (void *)(tables->bias + symbol->st_value); /* NOLINT */
}

static bool is_function(const ElfW(Sym) * symbol)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info);

	return type == STT_FUNC || type == STT_NOTYPE;
}

static void *find(const struct libc_tables home[LIBC_HOMES_MAX], const char *name, uint32_t hash)
{
	for (unsigned i = 0; i < LIBC_HOMES_MAX; i++) {
		const ElfW(Sym) *symbol = home[i].usable ? find_symbol(&home[i], name, hash) : NULL;

		if (symbol && is_function(symbol))
			return address_of(&home[i], symbol);
	}
	return NULL;
}

#define LOOK_UP(result, name, parameters, ...) \
	own.name = (result(*) parameters)find(home, #name, hash_of(#name));

void libc_own_again(void)
{
	struct libc_tables home[LIBC_HOMES_MAX];

	read_homes(home);
	/* Two threads may both look them up: they write the same values. */
	LIBC_NEEDED(LOOK_UP)
	LIBC_THREADS(LOOK_UP)
	LIBC_OWN(LOOK_UP)
	LIBC_KEYS(LOOK_UP)
	LIBC_LOADER(LOOK_UP)
	atomic_store_explicit(&ready, 1, memory_order_release);
}

const struct libc *libc_own(void)
{
	if (!atomic_load_explicit(&ready, memory_order_acquire))
		libc_own_again();
	return &own;
}

#define LACKS(result, name, ...) \
	if (!libc_own()->name)   \
		return #name;

const char *libc_lacks(void)
{
	LIBC_NEEDED(LACKS)
	LIBC_OWN(LACKS)
	return NULL;
}

bool libc_is_old(void)
{
	return __GLIBC_PREREQ(2, 34) && libc_own()->__libc_dlopen_mode;
}

/* Our own object, whose dynamic section is _DYNAMIC, as the linker defines it. */
static const struct link_map *us(void)
{
	const struct link_map *map = _r_debug.r_map;

	while (map && map->l_ld != _DYNAMIC)
		map = map->l_next;
	return map;
}

const char *libc_path_of_us(void)
{
	const struct link_map *map = us();

	return map ? map->l_name : NULL;
}

/* The loader's list has the objects of the program's start, libc among them, in the order in
 * which names are looked up. */
void libc_scope_read(struct libc_scope *scope)
{
	const struct link_map *map = us();

	scope->count = 0;
	read_homes(scope->home);
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

void *libc_scope_find(const struct libc_scope *scope, const char *name, bool *ask)
{
	uint32_t hash = hash_of(name);

	*ask = !scope->known;
	for (unsigned i = 0; !*ask && i < scope->count; i++) {
		const ElfW(Sym) *symbol = find_symbol(&scope->between[i], name, hash);

		if (symbol && is_function(symbol))
			return address_of(&scope->between[i], symbol);
		*ask = symbol; /* a function that chooses one (STT_GNU_IFUNC) */
	}
	return find(scope->home, name, hash);
}

void *libc_find_in(const struct link_map *map, const char *name)
{
	const struct link_map *const searched[] = { map, libc_object(LD_SO) };

	for (unsigned i = 0; i < 2; i++) {
		struct libc_tables tables;
		const ElfW(Sym) *symbol = NULL;

		if (searched[i] && read_tables(searched[i], &tables))
			symbol = find_symbol(&tables, name, hash_of(name));
		if (symbol)
			return address_of(&tables, symbol);
	}
	return NULL;
}

struct closure {
	const struct link_map *list; /* of its namespace */
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
	for (const struct link_map *map = closure->list; map; map = map->l_next) {
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

static void add_all_needed(struct closure *closure, const struct link_map *map)
{
	const char *names = (const char *)loader_dynamic(map, DT_STRTAB); /* NOLINT */

	for (const ElfW(Dyn) *entry = map->l_ld; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == DT_NEEDED)
			add_needed(closure, names + entry->d_un.d_val);
}

static bool defines(const struct link_map *map, const char *name)
{
	struct libc_tables tables;

	return read_tables(map, &tables) && find_symbol(&tables, name, hash_of(name));
}

bool libc_comes_first(const struct link_map *map, const char *name)
{
	struct closure closure = { .map = { map }, .count = 1 };
	const struct link_map *before = map;
	unsigned i = 0;

	while (before->l_prev)
		before = before->l_prev;
	closure.list = before;
	for (; closure.list == _r_debug.r_map && before->l_ld != _DYNAMIC; before = before->l_next)
		if (defines(before, name))
			return false;
	for (; i < closure.count && !is_libc(closure.map[i]); i++) {
		if (defines(closure.map[i], name))
			return false;
		add_all_needed(&closure, closure.map[i]);
	}
	return i < closure.count;
}

bool libc_of_space(const struct link_map *first, struct libc_tables *libc)
{
	while (first && !is_libc(first))
		first = first->l_next;
	return first && read_tables(first, libc);
}

bool libc_scopes_of_us(struct libc_tables *ours, struct libc_tables *libc)
{
	const struct link_map *map = us();

	return map && read_tables(map, ours) && libc_of_space(_r_debug.r_map, libc);
}

void *libc_tables_find(const struct libc_tables *tables, const char *name)
{
	const ElfW(Sym) *symbol = find_symbol(tables, name, hash_of(name));

	return symbol && is_function(symbol) ? address_of(tables, symbol) : NULL;
}

bool libc_is_used(void)
{
	struct closure closure = { .list = _r_debug.r_map, .count = 0 };

	if (!_r_debug.r_map)
		return false;
	closure.map[closure.count++] = _r_debug.r_map; /* the program itself */
	for (unsigned i = 0; i < closure.count; i++) {
		if (is_libc(closure.map[i]))
			return true;
		add_all_needed(&closure, closure.map[i]);
	}
	return closure.count == OBJECTS_MAX; /* true if not all objects were looked at */
}

/* In a task with another thread pointer, libc's errno is no memory of ours: what is kept and
 * restored there goes nowhere. */
int *__errno_location(void)
{
	int *(*location)(void) = libc_own()->__errno_location;

	return location && thread_pointer_is_known() ? location() : &libc_no_errno;
}

#define DEFINE(result, name, parameters, arguments, absent)                    \
	result name parameters                                                 \
	{                                                                      \
		return libc_own()->name ? libc_own()->name arguments : absent; \
	}

LIBC_NEEDED(DEFINE)
LIBC_THREADS(DEFINE)

/* Before glibc 2.34, libdl.so.2 had dlopen and dlsym, which most programs do not load.  libc.so.6
 * then opens libraries by __libc_dlopen_mode, and names are found in the tables of the object: a
 * handle of glibc's is the object's entry in the loader's list. */
void *libc_dlopen(const char *path, int mode)
{
	const struct libc *libc = libc_own();

	if (libc->dlopen)
		return libc->dlopen(path, mode);
	if (mode & RTLD_NOLOAD)
		return (void *)libc_object(path);
	if (!libc->__libc_dlopen_mode)
		return NULL;
	return libc->__libc_dlopen_mode(path, (int)((unsigned)mode | MODE_OF_DLOPEN));
}

void *libc_dlsym(void *restrict handle, const char *restrict name)
{
	if (libc_own()->dlopen && libc_own()->dlsym)
		return libc_own()->dlsym(handle, name);
	return handle == RTLD_NEXT ? NULL : libc_find_in(handle, name);
}
