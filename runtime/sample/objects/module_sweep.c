/*
 * Reads the loader's own list: all objects that are loaded now, and those that no longer are.  Both
 * functions are declared in module.h.
 */
#include <link.h>
#include <stddef.h>

#include "runtime/sample/elf/loader.h"
#include "runtime/sample/objects/module.h"
#include "runtime/sample/objects/module_table.h"

/* The state of a walk over the loader's list. */
struct walk {
	struct modules *modules;
	unsigned long long unloads;
	bool present[MODULE_KNOWN_MAX];
};

/* The objects' addresses as of the last walk.  Under the lock. */
static uint64_t loaded_at[MODULE_KNOWN_MAX];
static uint32_t loaded_count;

static bool is_loaded(uint64_t start, void *unused)
{
	(void)unused;
	for (uint32_t i = 0; i < loaded_count; i++)
		if (loaded_at[i] == start)
			return true;
	return loaded_count == MODULE_KNOWN_MAX || module_list_is_foreign(start);
}

/* Rounds to whole pages. */
static void bounds(const struct dl_phdr_info *info, uint64_t *start, uint64_t *end)
{
	loader_extent(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, start, end);
	*end = (*end + 4095) & ~4095ULL;
}

static int note_one(struct dl_phdr_info *info, size_t size, void *context)
{
	struct modules *modules = context;
	uint64_t start, end;

	if (size < offsetof(struct dl_phdr_info, dlpi_tls_modid))
		return 1;
	modules->seen_unloads = info->dlpi_subs;
	bounds(info, &start, &end);
	if (start < end && !module_table_has(modules, start))
		module_table_add(modules, start, end, info->dlpi_addr, info->dlpi_name);
	return 0;
}

void module_note_all(struct modules *modules)
{
	if (!module_table_lock(modules))
		return;
	dl_iterate_phdr(note_one, modules);
	modules->complete = true;
	modules->confirmed = atomic_load_explicit(&modules->known_count, memory_order_relaxed);
	module_table_unlock(modules);
}

static int read_unloads(struct dl_phdr_info *info, size_t size, void *context)
{
	if (size >= offsetof(struct dl_phdr_info, dlpi_tls_modid))
		((struct walk *)context)->unloads = info->dlpi_subs;
	return 1;
}

static int mark_present(struct dl_phdr_info *info, size_t size, void *context)
{
	struct walk *walk = context;
	uint32_t count = atomic_load_explicit(&walk->modules->known_count, memory_order_relaxed);
	uint64_t start, end;

	(void)size;
	bounds(info, &start, &end);
	if (loaded_count < MODULE_KNOWN_MAX)
		loaded_at[loaded_count++] = start;
	for (uint32_t i = 0; i < count; i++)
		if (walk->modules->known[i].start == start &&
		    walk->modules->known[i].entry->bias == info->dlpi_addr)
			walk->present[i] = true;
	return 0;
}

bool module_sweep(struct modules *modules)
{
	struct walk walk = { .modules = modules };
	uint32_t count;

	dl_iterate_phdr(read_unloads, &walk);
	if (walk.unloads == modules->seen_unloads || !module_table_lock(modules))
		return false;
	modules->seen_unloads = walk.unloads;
	loaded_count = 0;
	dl_iterate_phdr(mark_present, &walk);
	module_offset_keep(is_loaded, NULL);
	count = atomic_load_explicit(&modules->known_count, memory_order_relaxed);
	for (uint32_t i = 0; i < count; i++) {
		struct module_known *known = &modules->known[i];

		if (!walk.present[i] && !module_list_is_foreign(known->start))
			module_table_vacate(modules, known);
	}
	module_table_unlock(modules);
	return true;
}
