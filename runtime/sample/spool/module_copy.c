/*
 * /proc/self/maps is read twice: first for code that belongs to no object, then for the mappings of
 * objects that map the same part of the same file.
 */
#include "runtime/sample/spool/module_copy.h"

#include <stdatomic.h>

#include "runtime/sample/spool/module.h"
#include "runtime/sample/spool/module_file.h"
#include "runtime/sample/spool/module_met.h"
#include "runtime/sample/spool/module_names.h"
#include "runtime/sample/sys/mapping.h"

#define COPIES_MAX 32

struct copies {
	struct modules *modules;
	unsigned count;
	struct mapping copy[COPIES_MAX]; /* their names excluded */
};

static _Atomic uint32_t busy; /* a fork's child that inherits it taken has no names of copies */
static struct copies copies;  /* W, R: the holder of busy; likewise the text */
static char text[MAPPING_LINE_BYTES];

static bool collect(const struct mapping *mapping, void *context)
{
	struct copies *found = context;

	if (mapping->executable && mapping->inode && found->count < COPIES_MAX &&
	    !module_is_known(found->modules, mapping->start, mapping->end))
		found->copy[found->count++] = *mapping;
	return true;
}

/* Notes the part of the file that both mappings share. */
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

void module_copy_note(struct modules *modules)
{
	if (atomic_exchange_explicit(&busy, 1, memory_order_acquire))
		return;
	module_file_confirm(modules, text);
	module_names_note(modules, text);
	if (!module_met_is_near(0, UINT64_MAX))
		goto out;
	module_met_ask();
	copies.modules = modules;
	copies.count = 0;
	mapping_each(MAPPING_OWN, text, collect, &copies);
	if (copies.count)
		mapping_each(MAPPING_OWN, text, match_all, &copies);
out:
	atomic_store_explicit(&busy, 0, memory_order_release);
}
