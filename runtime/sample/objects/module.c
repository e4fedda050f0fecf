/*
 * One writer at a time, by a try-lock that a handler never waits for.  Readers of the private
 * table (every handler) need no lock: `known` is append-only, an entry is complete before
 * `known_count` is released, and only `gone` and `until` change later.  An unload only marks an
 * object gone; its generation ends when another object or other code takes the place.
 */
#include "runtime/sample/objects/module.h"

#include <stddef.h>
#include <string.h>

#include "config/text/text.h"
#include "runtime/sample/elf/loader.h"
#include "runtime/sample/objects/module_table.h"
#include "runtime/sample/log/log.h"

#define USER_END   (1ULL << 57)
#define KERNEL_MAX 256 /* a program that loads BPF programs forever must not fill the table */

static struct modules table;

struct modules *module_start(struct spool_alloc *spool, const char *executable)
{
	table.list = (struct module_list){ .spool = spool, .executable = executable };
	loader_start();
	table.kernel_count = 0;
	table.complete = false;
	table.confirmed = 0;
	atomic_store(&table.busy, 0);
	atomic_store(&table.known_count, 0);
	atomic_store(&table.unloads, 0);
	atomic_store(&table.vacated, 0);
	atomic_store(&table.vacant_from, 0);
	atomic_store(&table.vacant_to, 0);
	module_offset_start();
	unmapped_code_start();
	return &table;
}

static bool try_lock(struct modules *modules)
{
	return !atomic_exchange_explicit(&modules->busy, 1, memory_order_acquire);
}

void module_table_unlock(struct modules *modules)
{
	atomic_store_explicit(&modules->busy, 0, memory_order_release);
}

/* A handler holds the lock only while it appends one entry.  This thread's own interrupted code can
 * be the holder only if a signal of the target's own interrupted it and calls dlclose.  Then this
 * gives up. */
bool module_table_lock(struct modules *modules)
{
	for (unsigned spins = 0; spins < 1000000; spins++)
		if (try_lock(modules))
			return true;
	return false;
}

uint32_t module_changes(const struct modules *modules)
{
	return atomic_load_explicit(&modules->unloads, memory_order_acquire) +
	       atomic_load_explicit(&modules->vacated, memory_order_acquire) +
	       module_offset_changes();
}

/* The object of data is also found by its address. */
static uint64_t address_of(uint64_t pc)
{
	uint64_t address = pc & (USER_END - 1), kind = pc - address;

	return kind == SPOOL_PC_DATA || kind == SPOOL_PC_LIBRARY ? address : pc;
}

static const struct module_known *find_known(const struct modules *modules, uint64_t pc)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++) {
		const struct module_known *known = &modules->known[i];

		if (pc >= known->start && pc < known->end &&
		    !atomic_load_explicit(&known->gone, memory_order_relaxed))
			return known;
	}
	return NULL;
}

uint32_t module_generation(const struct modules *modules, uint64_t *pc)
{
	struct module_offset place;
	uint32_t generation, unsure;

	if (module_offset_find(address_of(*pc), &place)) {
		*pc += place.shift;
		return place.generation;
	}
	generation = module_freed_generation(*pc, &unsure);
	return generation == unsure || find_known(modules, *pc) ? generation : unsure;
}

bool module_is_vacant(const struct modules *modules, uint64_t pc)
{
	uint32_t count;

	if (pc < atomic_load_explicit(&modules->vacant_from, memory_order_relaxed) ||
	    pc >= atomic_load_explicit(&modules->vacant_to, memory_order_relaxed))
		return false;
	count = atomic_load_explicit(&modules->known_count, memory_order_acquire);
	for (uint32_t i = 0; i < count; i++) {
		const struct module_known *known = &modules->known[i];

		if (pc >= known->start && pc < known->end &&
		    atomic_load_explicit(&known->gone, memory_order_relaxed) &&
		    known->entry->until == SPOOL_UNTIL_FOREVER)
			return true;
	}
	return false;
}

void module_table_vacate(struct modules *modules, struct module_known *known)
{
	if (atomic_exchange_explicit(&known->gone, 1, memory_order_relaxed))
		return;
	process_marks_add(SPOOL_MARK_UNLOAD, known->start);
	if (!modules->vacant_to || known->start < modules->vacant_from)
		atomic_store_explicit(&modules->vacant_from, known->start, memory_order_relaxed);
	if (known->end > modules->vacant_to)
		atomic_store_explicit(&modules->vacant_to, known->end, memory_order_relaxed);
	atomic_fetch_add_explicit(&modules->vacated, 1, memory_order_release);
}

bool module_table_has(const struct modules *modules, uint64_t pc)
{
	struct module_offset place;

	return module_offset_find(pc, &place) || find_known(modules, pc);
}

/* Under the lock: records that something else took the addresses of an unloaded one. */
static void close_known(struct modules *modules, struct module_known *known)
{
	uint32_t generation = atomic_load_explicit(&modules->unloads, memory_order_relaxed) + 1;

	module_freed_add(known->start, known->end, generation);
	atomic_store_explicit(&known->entry->until, generation, memory_order_relaxed);
	atomic_store_explicit(&modules->unloads, generation, memory_order_release);
}

/* Under the lock: recognises the same file at any address, so that what was learnt of it applies
 * again. */
static bool is_same(const struct module_known *known, const struct spool_module *entry)
{
	const struct spool_module *before = known->entry;

	return entry->end - entry->start == known->end - known->start &&
	       entry->start - entry->bias == before->start - before->bias &&
	       entry->build_id_bytes == before->build_id_bytes &&
	       !memcmp(entry->build_id, before->build_id, sizeof(entry->build_id)) &&
	       !memcmp(&entry->file, &before->file, sizeof(entry->file)) &&
	       !strcmp(entry->path, before->path);
}

static void mark_load(const struct modules *modules, uint64_t start)
{
	if (modules->complete && !module_list_is_foreign(start))
		process_marks_add(SPOOL_MARK_LOAD, start);
}

/* Under the lock: an object that was unloaded and loaded again, here or elsewhere, keeps its
 * samples at the earlier addresses.  So a loop of dlopen and dlclose does not grow the spool. */
static bool revive(struct modules *modules, const struct spool_module *entry)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++) {
		struct module_known *known = &modules->known[i];
		struct module_offset place = { .start = entry->start, .end = entry->end };

		if (!is_same(known, entry) ||
		    (module_list_is_foreign(known->start) && known->start != entry->start))
			continue;
		mark_load(modules, known->start);
		place.shift = known->start - entry->start;
		place.generation = known->entry->since;
		if (!module_offset_set(&place))
			return false;
		if (!place.shift && known->entry->until == SPOOL_UNTIL_FOREVER)
			atomic_store_explicit(&known->gone, 0, memory_order_release);
		return true;
	}
	return false;
}

/* Under the lock: ends all other objects at these addresses. */
static void close_others(struct modules *modules, uint64_t start, uint64_t end)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++) {
		struct module_known *known = &modules->known[i];

		if (atomic_load_explicit(&known->gone, memory_order_relaxed) &&
		    known->entry->until == SPOOL_UNTIL_FOREVER && known->end > start &&
		    known->start < end)
			close_known(modules, known);
	}
}

/* Under the lock: returns an entry to fill and publish; NULL if the spool is full. */
static struct spool_module *entry_new(struct modules *modules, uint64_t start, uint64_t end,
				      uint64_t bias, uint32_t since)
{
	struct spool_module *entry = module_list_new(&modules->list);

	if (!entry)
		return NULL;
	entry->start = start;
	entry->end = end;
	entry->bias = bias;
	entry->since = since;
	atomic_store_explicit(&entry->until, SPOOL_UNTIL_FOREVER, memory_order_relaxed);
	return entry;
}

/* Likewise, for an object that is loaded now; NULL also if the table is full. */
static struct spool_module *object_new(struct modules *modules, uint64_t start, uint64_t end,
				       uint64_t bias)
{
	if (atomic_load_explicit(&modules->known_count, memory_order_relaxed) == MODULE_KNOWN_MAX)
		return NULL;
	return entry_new(modules, start, end, bias,
			 atomic_load_explicit(&modules->unloads, memory_order_relaxed));
}

static void publish(struct modules *modules, struct spool_module *entry)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_relaxed);

	module_list_publish(&modules->list);
	modules->known[count].start = entry->start;
	modules->known[count].end = entry->end;
	modules->known[count].entry = entry;
	modules->known[count].named = false;
	atomic_store_explicit(&modules->known[count].gone, 0, memory_order_relaxed);
	atomic_store_explicit(&modules->known_count, count + 1, memory_order_release);
}

/* Under the lock: appends one object, or finds it again. */
void module_table_add(struct modules *modules, uint64_t start, uint64_t end, uint64_t bias,
		      const char *name)
{
	static struct spool_module found; /* a handler's stack is small */
	uint64_t here = (uint64_t)(uintptr_t)module_start;
	struct module_offset place = { .start = start, .end = end };
	struct spool_module *entry;

	memset(&found, 0, sizeof(found));
	found.start = start;
	found.end = end;
	found.bias = bias;
	if (here >= start && here < end)
		found.flags |= SPOOL_MODULE_OURS;
	module_list_name(&modules->list, &found, name);
	module_file_note(&found);
	if (revive(modules, &found))
		return;
	close_others(modules, start, end);
	entry = object_new(modules, start, end, bias);
	if (!entry)
		return;
	module_list_copy(entry, &found);
	entry->flags = found.flags;
	place.generation = entry->since;
	if (entry->since)
		module_offset_set(&place);
	publish(modules, entry);
	mark_load(modules, start);
}

bool module_table_add_function(struct modules *modules, const struct module_known *known,
			       uint64_t start, uint64_t end, const char *name)
{
	struct spool_module *entry =
		entry_new(modules, start, end, known->entry->bias, known->entry->since);

	if (!entry)
		return false;
	entry->flags = SPOOL_MODULE_FUNCTION;
	text_copy(entry->path, sizeof(entry->path), name);
	module_list_publish(&modules->list);
	return true;
}

/* Notes code of no object.  Where an object was that is gone, it is not that one's. */
static bool note_other(struct modules *modules, uint64_t pc)
{
	unmapped_code_add(pc);
	if (!loader_find_object || !module_is_vacant(modules, pc))
		return true;
	if (!try_lock(modules))
		return false;
	close_others(modules, pc, pc + 1);
	module_table_unlock(modules);
	return true;
}

bool module_note(struct modules *modules, uint64_t pc)
{
	static char name[SPOOL_PATH_MAX + 1]; /* under the lock: a handler's stack is small */
	struct dl_find_object object;
	uint64_t bias;

	if (module_table_has(modules, pc) || module_list_is_foreign(pc))
		return true;
	if (!loader_find(pc, &object))
		return note_other(modules, pc);
	if (!try_lock(modules))
		return false;
	if (!module_table_has(modules, pc) && loader_describe(&object, &bias, name, sizeof(name)))
		module_table_add(modules, (uint64_t)object.dlfo_map_start,
				 (uint64_t)object.dlfo_map_end, bias, name);
	module_table_unlock(modules);
	return true;
}

bool module_note_named(struct modules *modules, uint64_t start, uint64_t end, const char *name,
		       bool removed)
{
	const struct module_known *known;

	if (!module_list_is_foreign(start) || end <= start)
		return true;
	if (!try_lock(modules))
		return false;
	known = find_known(modules, start);
	if (known && !removed && !strcmp(known->entry->path, name))
		goto out;
	if (known) /* or its end was recorded in another task */
		atomic_store_explicit(&modules->known[known - modules->known].gone, 1,
				      memory_order_relaxed);
	if (!removed && modules->kernel_count < KERNEL_MAX) {
		modules->kernel_count++;
		module_table_add(modules, start, end, 0, name);
	}
out:
	module_table_unlock(modules);
	return true;
}

bool module_is_known(const struct modules *modules, uint64_t start, uint64_t end)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_acquire);
	struct dl_find_object object;

	for (uint32_t i = 0; i < count; i++)
		if (modules->known[i].start < end && modules->known[i].end > start)
			return true;
	return loader_find(start, &object);
}

void module_note_copy(struct modules *modules, uint64_t start, uint64_t end, uint64_t like)
{
	const struct module_known *original;
	struct spool_module *entry = NULL;

	module_note(modules, like);
	if (module_is_known(modules, start, end) || !module_table_lock(modules))
		return;
	original = find_known(modules, like);
	if (original)
		entry = object_new(modules, start, end, original->entry->bias + (start - like));
	if (entry) {
		module_list_copy(entry, original->entry);
		publish(modules, entry);
	}
	module_table_unlock(modules);
}
