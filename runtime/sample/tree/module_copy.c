/*
 * /proc/self/maps is read twice: first for code that belongs to no object, then for the mappings of
 * objects that map the same part of the same file.  A jitdump is mapped for no other reason than to
 * be found here: it is one page, and its maker unmaps it at the end.
 */
#include "runtime/sample/tree/module_copy.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "config/text/text.h"
#include "runtime/sample/objects/module.h"
#include "runtime/sample/objects/module_table.h"
#include "runtime/sample/store/spool_alloc.h"
#include "runtime/sample/sys/proc.h"
#include "runtime/sample/sys/sys.h"

#define PAGE_BYTES 4096UL /* at least */
#define LOOKS_MAX  16	  /* at unmapped pages, for a jitdump */

struct copies {
	struct modules *modules;
	unsigned count;
	struct mapping copy[MODULE_COPY_MAX]; /* their names excluded */
};

static _Atomic uint32_t busy; /* a fork's child that inherits it taken has no names of copies */
static struct copies copies;  /* W, R: the holder of busy; likewise the text */
static char text[MAPPING_LINE_BYTES];

static bool is_dump(const struct mapping *mapping)
{
	const char *slash = strrchr(mapping->name, '/');
	size_t length = slash ? strlen(slash) : 0;

	return mapping->executable && mapping->inode && length > strlen("/jit-.dump") &&
	       !strncmp(slash, "/jit-", 5) && !strcmp(slash + length - 5, ".dump");
}

static bool note_dump(const struct mapping *mapping, void *modules)
{
	if (is_dump(mapping) && !module_is_known(modules, mapping->start, mapping->end) &&
	    module_table_lock(modules)) {
		module_table_add(modules, mapping->start, mapping->end, mapping->start,
				 mapping->name);
		module_table_unlock(modules);
	}
	return true;
}

static bool collect(const struct mapping *mapping, void *context)
{
	struct copies *found = context;

	note_dump(mapping, found->modules);
	if (mapping->executable && mapping->inode && found->count < MODULE_COPY_MAX &&
	    !module_is_known(found->modules, mapping->start, mapping->end))
		found->copy[found->count++] = *mapping;
	return true;
}

static void match(struct modules *modules, const struct mapping *copy,
		  const struct mapping *original)
{
	uint64_t from = copy->offset > original->offset ? copy->offset : original->offset;
	uint64_t copy_end = copy->offset + (copy->end - copy->start);
	uint64_t original_end = original->offset + (original->end - original->start);
	uint64_t to = copy_end < original_end ? copy_end : original_end;

	if (copy->device != original->device || copy->inode != original->inode || from >= to)
		return;
	module_note_copy(modules, copy->start + (from - copy->offset),
			 copy->start + (to - copy->offset),
			 original->start + (from - original->offset));
}

static bool match_all(const struct mapping *original, void *context)
{
	struct copies *found = context;

	if (!original->executable || !original->inode ||
	    !module_is_known(found->modules, original->start, original->end))
		return true;
	for (unsigned i = 0; i < found->count; i++)
		match(found->modules, &found->copy[i], original);
	return true;
}

/* A reader may see another file at its path: a container's, in which a process has the same pid. */
static void note_map(struct spool_header *header)
{
	struct text path = text_into(text, sizeof(text));
	struct stat st;

	text_add(&path, "/tmp/perf-");
	text_number(&path, header->pid);
	text_add(&path, ".map");
	if (sys_stat(text, &st)) {
		header->map_inode = SPOOL_MAP_NONE;
		return;
	}
	header->map_device = st.st_dev;
	header->map_inode = st.st_ino;
}

void module_copy_note(struct modules *modules)
{
	if (atomic_exchange_explicit(&busy, 1, memory_order_acquire))
		return;
	module_file_confirm(modules, text);
	module_names_note(modules, text);
	if (!unmapped_code_is_near(0, UINT64_MAX))
		goto out;
	note_map(modules->list.spool->header);
	unmapped_code_ask();
	copies.modules = modules;
	copies.count = 0;
	mapping_each(MAPPING_OWN, text, collect, &copies);
	if (copies.count)
		mapping_each(MAPPING_OWN, text, match_all, &copies);
out:
	atomic_store_explicit(&busy, 0, memory_order_release);
}

void module_copy_unmapped(struct modules *modules, uint64_t bytes)
{
	static _Atomic uint32_t looks;

	if (bytes > PAGE_BYTES || atomic_load_explicit(&looks, memory_order_relaxed) >= LOOKS_MAX ||
	    atomic_exchange_explicit(&busy, 1, memory_order_acquire))
		return;
	atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
	mapping_each(MAPPING_OWN, text, note_dump, modules);
	atomic_store_explicit(&busy, 0, memory_order_release);
}
