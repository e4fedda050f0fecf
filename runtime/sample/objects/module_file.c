/*
 * Notes are found through the program headers in the first page of the object.  All of it is copied
 * before it is read, because another thread may unload the object meanwhile.
 *
 * Between the loading of an object and its first sample, which is when it is noted, another file
 * may get its path.  The mappings tell; they are read outside of the handler.  Only inodes are
 * compared: file systems with subvolumes or layers show another device there than stat(2) does.
 */

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "runtime/sample/elf/memory.h"
#include "runtime/sample/objects/module_table.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"
#include "runtime/spool/file_head.h"

#define HEADERS_MAX  32
#define NOTES_MAX    1024 /* of one segment, if the notes lie elsewhere */
#define HEADERS_FROM 2048 /* upper bound: they follow the ELF header */
#define NS_PER_S     1000000000ULL

/* A copy of the object's first page, which holds its headers and nearly always its notes.  Another
 * thread may unload the object.  W, R: the thread that notes modules, one at a time. */
static _Alignas(8) uint8_t head[FILE_HEAD_BYTES];
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

static uint32_t search_segment(const ElfW(Phdr) * segment, struct spool_module *entry)
{
	uint64_t from = entry->bias + segment->p_vaddr - entry->start;
	uint64_t size = segment->p_filesz;

	if (segment->p_type != PT_NOTE || from >= entry->end - entry->start)
		return 0;
	if (from < FILE_HEAD_BYTES && size <= FILE_HEAD_BYTES - from)
		return search_notes(head + from, size, entry->build_id);
	if (size > NOTES_MAX || !memory_copy(elsewhere, entry->start + from, size))
		return 0;
	return search_notes(elsewhere, size, entry->build_id);
}

/* True if the page in memory is as in the file: nothing relocates it, and no breakpoint is set in
 * it. */
static bool is_head_as_in_file(const ElfW(Phdr) * segments, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (segments[i].p_type == PT_LOAD && segments[i].p_offset < FILE_HEAD_BYTES)
			return !(segments[i].p_flags & (PF_W | PF_X));
	return false;
}

/* Copies the build-id of an object, whose mapping begins with the ELF header.  Memory that was
 * unmapped meanwhile does not fault: there is no build-id then.  Nothing is read from the kernel's
 * half of the address space.  Without a build-id, sums up the first page, if it is as in the file.
 */
static void note_build_id(struct spool_module *entry)
{
	const ElfW(Ehdr) *header = (const void *)head;
	const ElfW(Phdr) * segments;

	if (entry->start >= entry->end || !memory_copy(head, entry->start, FILE_HEAD_BYTES) ||
	    memcmp(header->e_ident, ELFMAG, SELFMAG) || header->e_phoff > HEADERS_FROM ||
	    header->e_phoff % 8 || header->e_phnum > HEADERS_MAX)
		return;
	segments = (const void *)(head + header->e_phoff);
	for (unsigned i = 0; i < header->e_phnum && !entry->build_id_bytes; i++)
		entry->build_id_bytes = search_segment(&segments[i], entry);
	if (!entry->build_id_bytes && is_head_as_in_file(segments, header->e_phnum))
		entry->file.head = file_head_sum(head);
}

void module_file_note(struct spool_module *entry)
{
	const bool executable = (entry->flags & SPOOL_MODULE_EXECUTABLE) && !proc_is_by_loader();
	struct stat st;

	note_build_id(entry);
	if (entry->build_id_bytes || module_list_is_foreign(entry->start) ||
	    entry->path[0] != '/' || (entry->flags & SPOOL_MODULE_PATH_CUT) ||
	    sys_stat(executable ? "/proc/self/exe" : entry->path, &st))
		return;
	entry->file.device = st.st_dev;
	entry->file.inode = st.st_ino;
	entry->file.bytes = (uint64_t)st.st_size;
	entry->file.changed_ns =
		(uint64_t)st.st_ctim.tv_sec * NS_PER_S + (uint64_t)st.st_ctim.tv_nsec;
}

/* Returns the object whose mappings start with this one, if it has still to be confirmed. */
static struct spool_module *find_unconfirmed(struct modules *modules, uint64_t start)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_acquire);

	for (uint32_t i = modules->confirmed; i < count; i++) {
		const struct module_known *known = &modules->known[i];

		if (known->start == start && known->entry->file.inode &&
		    !atomic_load_explicit(&known->gone, memory_order_relaxed))
			return known->entry;
	}
	return NULL;
}

static bool compare(const struct mapping *mapping, void *context)
{
	struct spool_module *entry = find_unconfirmed(context, mapping->start);

	if (entry && mapping->inode != entry->file.inode)
		entry->file.bytes = SPOOL_MAPPED_OTHER;
	return true;
}

void module_file_confirm(struct modules *modules, char *text)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_acquire);
	bool any = false;

	for (uint32_t i = modules->confirmed; i < count; i++)
		any = any || modules->known[i].entry->file.inode;
	if (any)
		mapping_each(MAPPING_OWN, text, compare, modules);
	modules->confirmed = count;
}
