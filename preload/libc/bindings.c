/*
 * A slot is changed if it holds libc's function, or nothing yet and the loader would find libc's
 * function first among the object and what it needs (DT_NEEDED).  A plugin's own definition stays.
 *
 * An object is in the loader's list before its slots are final, and its pages for slots are made
 * read-only last.  dladdr(3) waits for the loader's lock, which is held meanwhile.  So only objects
 * that were in the list before that wait are changed.
 */
#include "preload/libc/bindings.h"

#include <elf.h>
#include <gnu/lib-names.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/libc/libc.h"
#include "runtime/sample/elf/loader.h"
#include "runtime/sample/session/session.h"
#include "runtime/sample/sys/lock.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/sample/sys/together.h"

#define PAGE_BYTES  4096UL
#define HEADERS_MAX 64

#ifdef __x86_64__ /* elf.h: a call's slot, an address's, and a pointer's in data */
#define SLOT_OF_CALL	R_X86_64_JUMP_SLOT
#define SLOT_OF_ADDRESS R_X86_64_GLOB_DAT
#define SLOT_OF_DATA	R_X86_64_64
#else
#define SLOT_OF_CALL	R_AARCH64_JUMP_SLOT
#define SLOT_OF_ADDRESS R_AARCH64_GLOB_DAT
#define SLOT_OF_DATA	R_AARCH64_ABS64
#endif

/* The part of an object that the loader made read-only after it had set the slots. */
struct relro {
	uint64_t start, end;
};

/* Where names are looked up. */
struct scope {
	struct libc_tables us, libc;
	void *(*in_space)(const char *name); /* NULL: the program's own namespace */
};

static const struct link_map *first_bound; /* the last object of the start.  W: init */
static _Atomic uint64_t seen_loads;
static _Atomic uint32_t expected;
static _Atomic uint32_t locked TOGETHER;

void bindings_start(void)
{
	first_bound = _r_debug.r_map;
	while (first_bound && first_bound->l_next)
		first_bound = first_bound->l_next;
}

void bindings_expect(void)
{
	atomic_store_explicit(&expected, 1, memory_order_relaxed);
}

static struct relro relro_of(const struct link_map *map)
{
	const ElfW(Ehdr) *header = (const void *)map->l_addr; /* NOLINT */
	struct relro relro = { 0, 0 };
	const ElfW(Phdr) * segment;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_phnum > HEADERS_MAX)
		return relro;
	segment = (const void *)(map->l_addr + header->e_phoff); /* NOLINT */
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segment[i].p_type == PT_GNU_RELRO) {
			relro.start = map->l_addr + segment[i].p_vaddr;
			relro.end = relro.start + segment[i].p_memsz;
		}
	return relro;
}

static bool set_slot(_Atomic uint64_t *slot, uint64_t value, const struct relro *relro)
{
	uint64_t page = (uint64_t)(uintptr_t)slot & ~(PAGE_BYTES - 1);
	bool is_read_only =
		page >= (relro->start & ~(PAGE_BYTES - 1)) && page + PAGE_BYTES <= relro->end;

	if (is_read_only &&
	    sys_mprotect((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE)) /* NOLINT */
		return false;
	atomic_store_explicit(slot, value, memory_order_relaxed);
	if (is_read_only)
		sys_mprotect((void *)page, PAGE_BYTES, PROT_READ); /* NOLINT */
	return true;
}

/* True if the address is one of the object's.  A slot with such an address asks the loader at the
 * first call. */
static bool is_within(const struct link_map *map, uint64_t value)
{
	uint64_t start, end;
	const ElfW(Ehdr) *header = (const void *)map->l_addr; /* NOLINT */

	if (header->e_phnum > HEADERS_MAX)
		return false;
	loader_extent((const void *)(map->l_addr + header->e_phoff), header->e_phnum, /* NOLINT */
		      map->l_addr, &start, &end);
	return value >= start && value < end;
}

static bool is_slot(uint64_t type)
{
	return type == SLOT_OF_CALL || type == SLOT_OF_ADDRESS || type == SLOT_OF_DATA;
}

static void bind_slot(const struct link_map *map, const struct scope *scope, _Atomic uint64_t *slot,
		      const char *name, const struct relro *relro)
{
	void *ours = scope->in_space ? scope->in_space(name) : libc_tables_find(&scope->us, name);
	void *libc = ours ? libc_tables_find(&scope->libc, name) : NULL;
	uint64_t value;

	if (!libc)
		return;
	value = atomic_load_explicit(slot, memory_order_relaxed);
	if (value == (uint64_t)(uintptr_t)libc ||
	    (is_within(map, value) && libc_comes_first(map, name)))
		set_slot(slot, (uint64_t)(uintptr_t)ours, relro);
}

static void bind_table(const struct link_map *map, const struct scope *scope, uint64_t table,
		       uint64_t bytes)
{
	const ElfW(Sym) *symbols = (const void *)loader_dynamic(map, DT_SYMTAB); /* NOLINT */
	const char *names = (const char *)loader_dynamic(map, DT_STRTAB);	 /* NOLINT */
	const ElfW(Rela) *entry = (const void *)table;				 /* NOLINT */
	const struct relro relro = relro_of(map);

	if (table <= map->l_addr || !symbols || (uint64_t)names <= map->l_addr)
		return;
	for (const ElfW(Rela) *end = entry + bytes / sizeof(*entry); entry < end; entry++)
		if (is_slot(ELF64_R_TYPE(entry->r_info)) && ELF64_R_SYM(entry->r_info))
			bind_slot(map, scope, (void *)(map->l_addr + entry->r_offset), /* NOLINT */
				  names + symbols[ELF64_R_SYM(entry->r_info)].st_name, &relro);
}

static void bind(const struct link_map *map, const struct scope *scope)
{
	if (!map->l_addr || !map->l_name[0])
		return;
	bind_table(map, scope, loader_dynamic(map, DT_JMPREL), loader_dynamic(map, DT_PLTRELSZ));
	bind_table(map, scope, loader_dynamic(map, DT_RELA), loader_dynamic(map, DT_RELASZ));
}

static int read_loads(struct dl_phdr_info *info, size_t size, void *loads)
{
	if (size >= offsetof(struct dl_phdr_info, dlpi_tls_modid))
		*(uint64_t *)loads = info->dlpi_adds;
	return 1;
}

/* The next namespace, if the loader tells (glibc 2.35, link.h).  A program may have a copy of the
 * first one's record (elf(5), R_X86_64_COPY), which ends before that. */
static const struct r_debug *next_space(const struct r_debug *space)
{
	const struct link_map *map = _r_debug.r_map;

	while (map && map->l_addr != _r_debug.r_ldbase)
		map = map->l_next;
	if (_r_debug.r_version < 2 || !map || !is_within(map, (uint64_t)(uintptr_t)&_r_debug))
		return NULL;
	__asm__("" : "+r"(space)); /* the declared object is the smaller one */
	return (const void *)((const struct r_debug_extended *)space)->r_next;
}

bool bindings_libc_at(uint64_t address, struct libc_tables *libc)
{
	for (const struct r_debug *space = next_space(&_r_debug); space; space = next_space(space))
		for (const struct link_map *map = space->r_map; map; map = map->l_next)
			if (map->l_addr && map->l_addr != _r_debug.r_ldbase &&
			    is_within(map, address))
				return libc_of_space(space->r_map, libc);
	return false;
}

static void bind_spaces(void *(*in_space)(const char *name))
{
	struct scope scope = { .in_space = in_space };

	for (const struct r_debug *space = next_space(&_r_debug); space;
	     space = next_space(space)) {
		if (space->r_state != RT_CONSISTENT || !libc_of_space(space->r_map, &scope.libc))
			continue;
		for (const struct link_map *map = space->r_map; map; map = map->l_next)
			if (map->l_addr != _r_debug.r_ldbase && map->l_addr != scope.libc.bias)
				bind(map, &scope);
	}
}

static void bind_until(const struct link_map *last)
{
	struct scope scope = { .in_space = NULL };

	if (!libc_scopes_of_us(&scope.us, &scope.libc))
		return;
	for (const struct link_map *map = first_bound; map != last && map->l_next;) {
		map = map->l_next;
		bind(map, &scope);
	}
}

/* What a look at all objects needs. */
struct look {
	const struct link_map *last;
	void *(*in_space)(const char *name);
};

/* Called by dl_iterate_phdr(3), which holds the loader's lock of the list: dlclose(3) in another
 * thread unmaps no object meanwhile (glibc, _dl_close_worker). */
static int bind_all(struct dl_phdr_info *info, size_t size, void *context)
{
	const struct look *look = context;

	(void)info;
	(void)size;
	bind_until(look->last);
	bind_spaces(look->in_space);
	return 1;
}

void bindings_look(void *(*in_space)(const char *name))
{
	struct look look = { .last = first_bound, .in_space = in_space };
	uint64_t mask, loads = 0;
	Dl_info unused;

	if (!atomic_load_explicit(&expected, memory_order_relaxed) || !first_bound ||
	    !session_is_here())
		return;
	dl_iterate_phdr(read_loads, &loads);
	if (loads == atomic_load_explicit(&seen_loads, memory_order_relaxed))
		return;
	while (look.last->l_next)
		look.last = look.last->l_next;
	if (libc_own()->dladdr)
		libc_own()->dladdr(bindings_look, &unused);
	mask = sys_signals_block();
	if (lock_take_patiently(&locked)) {
		dl_iterate_phdr(bind_all, &look);
		lock_give(&locked);
	}
	sys_signals_restore(mask);
	atomic_store_explicit(&seen_loads, loads, memory_order_relaxed);
}

/*
 * libc's constructors set environ and what dlopen(3) passes on to those of the libraries that it
 * loads.  So ours, the first of all, only has itself called after them: the last of libc's
 * constructors (DT_INIT_ARRAY, elf(5)) is replaced by ours until the loader calls it.
 *
 * Of several objects linked with -z initfirst the loader calls only the last one first.  Before
 * glibc 2.34 that is libpthread; then our constructor runs in the order of the libraries.
 */

typedef void constructor(int argc, char **argv, char **environment);

/* W: init */
static bindings_begin *waiting;
static _Atomic uint64_t *last_slot;
static uint64_t replaced;

static void last_of_libc(int argc, char **argv, char **environment)
{
	const struct relro relro = relro_of(libc_object(LIBC_SO));

	set_slot(last_slot, replaced, &relro);
	((constructor *)replaced)(argc, argv, environment); /* NOLINT */
	waiting(argc, argv);
}

void bindings_begin_after_libc(bindings_begin *begin, int argc, char **argv)
{
	const struct link_map *libc = __environ ? NULL : libc_object(LIBC_SO);
	uint64_t array = libc ? loader_dynamic(libc, DT_INIT_ARRAY) : 0;
	uint64_t count = libc ? loader_dynamic(libc, DT_INIT_ARRAYSZ) / sizeof(uint64_t) : 0;
	struct relro relro;

	if (!array || !count) {
		begin(argc, argv);
		return;
	}
	relro = relro_of(libc);
	waiting = begin;
	last_slot = (_Atomic uint64_t *)(libc->l_addr + array) + count - 1; /* NOLINT */
	replaced = *last_slot;
	if (!set_slot(last_slot, (uint64_t)(uintptr_t)last_of_libc, &relro))
		begin(argc, argv);
}
