/*
 * Notes are found through the program headers in the first page of the object.  All of it is copied
 * before it is read, because another thread may unload the object meanwhile.
 */
#include "runtime/sample/elf/elf_note.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/spool/file_head.h"

#define HEAD_BYTES   FILE_HEAD_BYTES
#define HEADERS_MAX  32
#define NOTES_MAX    1024 /* of one segment, if the notes lie elsewhere */
#define HEADERS_FROM 2048 /* upper bound: they follow the ELF header */

/* A copy of the object's first page, which holds its headers and nearly always its notes.  Another
 * thread may unload the object.  W, R: the thread that notes modules, one at a time. */
static _Alignas(8) uint8_t head[HEAD_BYTES];
static uint8_t elsewhere[NOTES_MAX];

/* Notes are a chain of headers, names and descriptors, each padded to 4 bytes. */
static uint32_t search_notes(const uint8_t *notes, uint64_t size, uint8_t id[SPOOL_BUILD_ID_MAX])
{
	uint64_t at = 0;

	while (at + sizeof(ElfW(Nhdr)) <= size) {
		uint64_t name = at + sizeof(ElfW(Nhdr));
		ElfW(Nhdr) note;
		uint64_t content;

		memcpy(&note, notes + at, sizeof(note));
		content = name + ((note.n_namesz + 3ULL) & ~3ULL);
		if (content + note.n_descsz > size)
			return 0;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
		    !memcmp(notes + name, "GNU", 4) && note.n_descsz <= SPOOL_BUILD_ID_MAX) {
			memcpy(id, notes + content, note.n_descsz);
			return note.n_descsz;
		}
		at = content + ((note.n_descsz + 3ULL) & ~3ULL);
	}
	return 0;
}

static uint32_t search_segment(const ElfW(Phdr) * segment, uint64_t start, uint64_t end,
			       uint64_t bias, uint8_t id[SPOOL_BUILD_ID_MAX])
{
	uint64_t from = bias + segment->p_vaddr - start;
	uint64_t size = segment->p_filesz;

	if (segment->p_type != PT_NOTE || from >= end - start)
		return 0;
	if (from < HEAD_BYTES && size <= HEAD_BYTES - from)
		return search_notes(head + from, size, id);
	if (size > NOTES_MAX || !memory_copy(elsewhere, start + from, size))
		return 0;
	return search_notes(elsewhere, size, id);
}

/* True if the page in memory is as in the file: nothing relocates it, and no breakpoint is set in
 * it. */
static bool is_head_as_in_file(const ElfW(Phdr) * segments, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_offset < HEAD_BYTES)
			return !(segments[i].p_flags & (PF_W | PF_X));
	return false;
}

uint32_t elf_note_build_id(uint64_t start, uint64_t end, uint64_t bias,
			   uint8_t id[SPOOL_BUILD_ID_MAX], uint64_t *head_sum)
{
	const ElfW(Ehdr) *header = (const void *)head;
	const ElfW(Phdr) * segments;
	uint32_t bytes = 0;

	*head_sum = 0;
	if (start >= end || !memory_copy(head, start, HEAD_BYTES) ||
	    memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_phoff > HEADERS_FROM ||
	    header->e_phoff % 8 || header->e_phnum > HEADERS_MAX)
		return 0;
	segments = (const void *)(head + header->e_phoff);
	for (unsigned i = 0; i < header->e_phnum && !bytes; i++)
		bytes = search_segment(&segments[i], start, end, bias, id);
	if (!bytes && is_head_as_in_file(segments, header->e_phnum))
		*head_sum = file_head_sum(head);
	return bytes;
}
