#include "runtime/sample/elf_note.h"

#include <elf.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

static const void *at(uint64_t address)
{
	return (const void *)(uintptr_t)address; /* NOLINT(performance-no-int-to-ptr) */
}

/* Notes are a chain of headers, names and descriptors, each padded to 4 bytes. */
static uint32_t search_notes(uint64_t from, uint64_t to, uint8_t id[SPOOL_BUILD_ID_MAX])
{
	while (from + sizeof(ElfW(Nhdr)) <= to) {
		const ElfW(Nhdr) *note = at(from);
		uint64_t name = from + sizeof(*note);
		uint64_t content = name + ((note->n_namesz + 3ULL) & ~3ULL);

		if (content + note->n_descsz > to)
			return 0;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 &&
		    !memcmp(at(name), "GNU", 4) && note->n_descsz <= SPOOL_BUILD_ID_MAX) {
			memcpy(id, at(content), note->n_descsz);
			return note->n_descsz;
		}
		from = content + ((note->n_descsz + 3ULL) & ~3ULL);
	}
	return 0;
}

uint32_t elf_note_build_id(uint64_t start, uint64_t end, uint64_t bias,
			   uint8_t id[SPOOL_BUILD_ID_MAX])
{
	const ElfW(Ehdr) *header = at(start);
	const ElfW(Phdr) * segments;
	uint64_t readable_end = 0;
	uint32_t bytes = 0;

	if (start >= end || (int64_t)start < 0 || memcmp(header->e_ident, ELFMAG, SELFMAG) ||
	    header->e_phoff > 2048 || header->e_phnum > 32)
		return 0;
	segments = at(start + header->e_phoff);
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_offset == 0 &&
		    segments[i].p_flags & PF_R)
			readable_end = bias + segments[i].p_vaddr + segments[i].p_filesz;
	for (unsigned i = 0; i < header->e_phnum && !bytes; i++) {
		uint64_t from = bias + segments[i].p_vaddr;

		if (segments[i].p_type == PT_NOTE && from >= start &&
		    from + segments[i].p_filesz <= readable_end)
			bytes = search_notes(from, from + segments[i].p_filesz, id);
	}
	return bytes;
}
