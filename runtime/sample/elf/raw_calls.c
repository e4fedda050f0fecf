/*
 * Only pages that a program's file provides for execution and that can be read are looked at.
 * libc, the loader and this library make the calls themselves, and are left out.
 */
#include "runtime/sample/elf/raw_calls.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/elf/memory.h"

#define PROGRAM_BYTES 0x100000 /* of a program's code */
#define SMALL_BYTES   0x10000  /* of a library's code, all of it */
#define HEADERS_MAX   64
#define GO_NOTE	      "Go\0" /* golang.org/src/cmd/internal/buildid: four bytes with its NULs */
#define GO_NOTE_TYPE  4

unsigned raw_calls_kind(uint64_t number)
{
	switch (number) {
	case SYS_rt_sigaction:
		return RAW_CALLS_SIGNALS;
	case SYS_execve:
	case SYS_execveat:
		return RAW_CALLS_EXEC;
	default:
		return 0;
	}
}

static bool is_code(const ElfW(Phdr) * segment)
{
	return segment->p_type == PT_LOAD && segment->p_flags & PF_X && segment->p_flags & PF_R;
}

static unsigned search(const ElfW(Phdr) * segments, unsigned count, uint64_t bias, uint64_t most,
		       bool all)
{
	unsigned found = 0;

	for (unsigned i = 0; i < count; i++) {
		uint64_t bytes = segments[i].p_filesz;

		if (!is_code(&segments[i]) || (all && bytes > most))
			continue;
		found |= raw_calls_in((const uint8_t *)(bias + segments[i].p_vaddr), /* NOLINT */
				      bytes < most ? bytes : most);
	}
	return found;
}

/* The program headers of the main program, as the kernel passes them. */
static const ElfW(Phdr) * program_segments(unsigned *count)
{
	*count = (unsigned)getauxval(AT_PHNUM);
	return (const void *)getauxval(AT_PHDR); /* NOLINT(performance-no-int-to-ptr) */
}

static bool is_named(const struct link_map *map, const char *wanted)
{
	uint64_t names = loader_dynamic(map, DT_STRTAB), name = loader_dynamic(map, DT_SONAME);

	return name && names > map->l_addr &&
	       !strncmp((const char *)names + name, wanted, strlen(wanted)); /* NOLINT */
}

/* A library that begins with its header, as linkers make them. */
static bool has_header(const struct link_map *map)
{
	const ElfW(Ehdr) *header = (const void *)map->l_addr; /* NOLINT */

	return map->l_addr && memory_is_readable(map->l_addr) &&
	       !memcmp(header->e_ident, ELFMAG, SELFMAG) && header->e_phnum <= HEADERS_MAX &&
	       header->e_phoff <= SMALL_BYTES / 16;
}

/* Of one library, if it is small. */
static unsigned found_in(const struct link_map *map)
{
	const uint8_t *start = (const uint8_t *)map->l_addr; /* NOLINT: of a library, its header */
	const ElfW(Ehdr) *header = (const void *)start;

	if (!map->l_addr || map->l_ld == _DYNAMIC || !map->l_name[0] || map->l_name[0] == '[' ||
	    is_named(map, "libc.so.") || is_named(map, "libpthread.so.") ||
	    is_named(map, "ld-linux") || is_named(map, "linux-vdso"))
		return 0;
	if (!has_header(map))
		return 0;
	return search((const void *)(start + header->e_phoff), header->e_phnum, map->l_addr,
		      SMALL_BYTES, true);
}

/* Returns the end of what the program's file provides around an address; 0 if it provides none. */
static uint64_t segment_end(uint64_t bias, uint64_t address)
{
	unsigned count;
	const ElfW(Phdr) *segments = program_segments(&count);

	for (unsigned i = 0; segments && i < count; i++) {
		uint64_t start = bias + segments[i].p_vaddr;

		if (segments[i].p_type == PT_LOAD && address >= start &&
		    address - start < segments[i].p_filesz)
			return start + segments[i].p_filesz;
	}
	return 0;
}

/* The table of symbols does not say where it ends, nor does a table of hashes without symbols.  But
 * another table begins behind it: GNU ld puts the names there, lld those of versions. */
static uint64_t symbols_end(const struct link_map *map, uint64_t symbols)
{
	static const int64_t tables[] = { DT_STRTAB, DT_HASH, DT_GNU_HASH,
					  DT_VERSYM, DT_RELA, DT_JMPREL };
	uint64_t end = segment_end(map->l_addr, symbols);

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		uint64_t start = loader_dynamic(map, tables[i]);

		if (start > symbols && start < end)
			end = start;
	}
	return end;
}

/* True if the program has a dynamic symbol of this name, undefined or defined. */
static bool has_symbol(const struct link_map *map, const char *name, bool defined)
{
	const char *names = (const char *)loader_dynamic(map, DT_STRTAB); /* NOLINT */
	uint64_t bytes = loader_dynamic(map, DT_STRSZ), at = loader_dynamic(map, DT_SYMTAB);
	uint64_t end = symbols_end(map, at);

	for (; names && at + sizeof(ElfW(Sym)) <= end; at += sizeof(ElfW(Sym))) {
		const ElfW(Sym) *symbol = (const void *)at; /* NOLINT: in the program's file */

		if ((symbol->st_shndx != SHN_UNDEF) == defined && symbol->st_name < bytes &&
		    !strcmp(names + symbol->st_name, name))
			return true;
	}
	return false;
}

/* True if the runtime of a sanitizer is linked into the program, whose calls are no harm: clang's,
 * which exports its interface, or gcc's (-static-libasan), which refers to symbolizers that another
 * may define. */
static bool has_sanitizer(const struct link_map *map)
{
	return has_symbol(map, "__sanitizer_set_death_callback", true) ||
	       has_symbol(map, "__sanitizer_symbolize_code", false);
}

unsigned raw_calls_found(void)
{
	const struct link_map *map = _r_debug.r_map;
	unsigned count, found = 0;
	const ElfW(Phdr) *segments = program_segments(&count);

	if (!map || !segments)
		return 0;
	if (!has_sanitizer(map))
		found = search(segments, count, map->l_addr, PROGRAM_BYTES, false);
	for (map = map->l_next; map; map = map->l_next)
		found |= found_in(map);
	return found;
}

static bool has_go_note(const ElfW(Phdr) * segment, uint64_t bias)
{
	const char *at = (const char *)(bias + segment->p_vaddr); /* NOLINT */
	const char *end = at + segment->p_filesz;

	if (segment->p_type != PT_NOTE || !(segment->p_flags & PF_R))
		return false;
	while (end - at >= (ptrdiff_t)(sizeof(ElfW(Nhdr)) + sizeof(GO_NOTE))) {
		const ElfW(Nhdr) *note = (const void *)at;

		if (note->n_type == GO_NOTE_TYPE && note->n_namesz == sizeof(GO_NOTE) &&
		    !memcmp(note + 1, GO_NOTE, sizeof(GO_NOTE)))
			return true;
		at += sizeof(*note) + ((note->n_namesz + 3UL) & ~3UL) +
		      ((note->n_descsz + 3UL) & ~3UL);
	}
	return false;
}

static bool has_go_notes(const ElfW(Phdr) * segments, unsigned count, uint64_t bias)
{
	for (unsigned i = 0; i < count; i++)
		if (has_go_note(&segments[i], bias))
			return true;
	return false;
}

bool raw_calls_is_go(const struct link_map *map)
{
	const uint8_t *start = (const uint8_t *)map->l_addr; /* NOLINT: of a library, its header */
	const ElfW(Ehdr) *header = (const void *)start;
	const ElfW(Phdr) * segments;
	unsigned count;

	if (map == _r_debug.r_map) {
		segments = program_segments(&count);
		return segments && has_go_notes(segments, count, map->l_addr);
	}
	return has_header(map) &&
	       has_go_notes((const void *)(start + header->e_phoff), header->e_phnum, map->l_addr);
}

/* With cgo, the runtime sets actions by libc's sigaction. */
bool raw_calls_is_pure_go(void)
{
	const struct link_map *map = _r_debug.r_map;
	unsigned count;
	const ElfW(Phdr) *segments = program_segments(&count);

	if (!map || !segments || has_symbol(map, "sigaction", false))
		return false;
	return has_go_notes(segments, count, map->l_addr);
}
