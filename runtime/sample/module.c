/*
 * One writer at a time, by a try-lock that a handler never waits for.  Readers of the private
 * table (every handler) need no lock: `known` is append-only, an entry is complete before
 * `known_count` is released, and only `gone`, `until` and the list of freed ranges change later.
 * An unload only marks an object gone; its generation ends when another object takes the place.
 */
#include "runtime/sample/module.h"

#include <dlfcn.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "runtime/sample/elf_note.h"
#include "runtime/sample/loader.h"
#include "runtime/sample/module_copy.h"
#include "runtime/sample/module_list.h"

#define KNOWN_MAX  2048
#define FREED_MAX  64
#define KERNEL_MAX 256 /* a program that loads BPF programs for ever shall not fill the table */

struct known {
	uint64_t start, end;
	struct spool_module *entry;
	_Atomic uint32_t gone; /* W: the lock's holder.  R: anyone */
};

/* Addresses that were unmapped at least once. */
struct freed {
	_Atomic uint64_t start, end;
	_Atomic uint32_t generation;
};

struct modules {
	struct module_list list; /* under the lock: the same in the spool */
	loader_find *find;
	_Atomic uint32_t busy;	      /* the try-lock */
	_Atomic uint32_t known_count; /* release: publishes known[] */
	_Atomic uint32_t unloads;
	_Atomic uint32_t freed_count;	 /* release: publishes freed[] */
	uint32_t kernel_count;		 /* under the lock: those of the kernel */
	unsigned long long seen_unloads; /* dlpi_subs at the last sweep */
	struct known known[KNOWN_MAX];
	struct freed freed[FREED_MAX];
};

static struct modules table;

struct modules *module_start(struct store *store, const char *executable)
{
	table.list = (struct module_list){ .store = store, .executable = executable };
	table.find = loader_find_object();
	table.kernel_count = 0;
	atomic_store(&table.busy, 0);
	atomic_store(&table.known_count, 0);
	atomic_store(&table.unloads, 0);
	atomic_store(&table.freed_count, 0);
	module_copy_start();
	return &table;
}

static bool try_lock(struct modules *modules)
{
	return !atomic_exchange_explicit(&modules->busy, 1, memory_order_acquire);
}

static void unlock(struct modules *modules)
{
	atomic_store_explicit(&modules->busy, 0, memory_order_release);
}

/* A handler holds the lock only while it appends one entry.  The holder may be this thread's own
 * code below us only if a signal of the target's own interrupted it and calls dlclose: give up. */
static bool lock_patiently(struct modules *modules)
{
	for (unsigned spins = 0; spins < 1000000; spins++)
		if (try_lock(modules))
			return true;
	return false;
}

uint32_t module_unloads(const struct modules *modules)
{
	return atomic_load_explicit(&modules->unloads, memory_order_acquire);
}

uint32_t module_generation(const struct modules *modules, uint64_t pc)
{
	uint32_t count = atomic_load_explicit(&modules->freed_count, memory_order_acquire);
	uint32_t generation = SPOOL_NEVER_UNLOADED;

	for (uint32_t i = 0; i < count; i++) {
		const struct freed *freed = &modules->freed[i];
		uint32_t last = atomic_load_explicit(&freed->generation, memory_order_relaxed);

		if (pc >= atomic_load_explicit(&freed->start, memory_order_relaxed) &&
		    pc < atomic_load_explicit(&freed->end, memory_order_relaxed) &&
		    last > generation)
			generation = last;
	}
	return generation;
}

static const struct known *find_known(const struct modules *modules, uint64_t pc)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_acquire);

	for (uint32_t i = 0; i < count; i++) {
		const struct known *known = &modules->known[i];

		if (pc >= known->start && pc < known->end &&
		    !atomic_load_explicit(&known->gone, memory_order_relaxed))
			return known;
	}
	return NULL;
}

/* Under the lock: another object took the addresses of one that was unloaded. */
static void close_known(struct modules *modules, struct known *known)
{
	uint32_t generation = atomic_load_explicit(&modules->unloads, memory_order_relaxed) + 1;
	uint32_t count = atomic_load_explicit(&modules->freed_count, memory_order_relaxed);
	struct freed *freed = NULL;

	for (uint32_t i = 0; i < count && !freed; i++)
		if (modules->freed[i].start == known->start && modules->freed[i].end == known->end)
			freed = &modules->freed[i];
	if (!freed && count < FREED_MAX) {
		freed = &modules->freed[count];
		atomic_store_explicit(&freed->start, known->start, memory_order_relaxed);
		atomic_store_explicit(&freed->end, known->end, memory_order_relaxed);
	} else if (!freed) { /* widen the last one: some contexts split without need */
		freed = &modules->freed[FREED_MAX - 1];
		if (known->start < freed->start)
			atomic_store_explicit(&freed->start, known->start, memory_order_relaxed);
		if (known->end > freed->end)
			atomic_store_explicit(&freed->end, known->end, memory_order_relaxed);
	}
	atomic_store_explicit(&freed->generation, generation, memory_order_relaxed);
	if (freed == &modules->freed[count])
		atomic_store_explicit(&modules->freed_count, count + 1, memory_order_release);
	atomic_store_explicit(&known->entry->until, generation, memory_order_relaxed);
	atomic_store_explicit(&modules->unloads, generation, memory_order_release);
}

/* Same file, same place: what was learnt of it holds again. */
static bool is_same(const struct known *known, uint64_t bias, const char *name)
{
	uint8_t id[SPOOL_BUILD_ID_MAX] = { 0 };
	uint32_t bytes = elf_note_build_id(known->start, known->end, bias, id);

	return known->entry->bias == bias && bytes == known->entry->build_id_bytes &&
	       !memcmp(id, known->entry->build_id, sizeof(id)) && !strcmp(name, known->entry->path);
}

/* Under the lock: an object that was unloaded and came back is opened again, so that a loop of
 * dlopen and dlclose grows nothing.  Others whose addresses it takes are closed for good. */
static bool revive(struct modules *modules, uint64_t start, uint64_t end, uint64_t bias,
		   const char *name)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++) {
		struct known *known = &modules->known[i];

		if (!atomic_load_explicit(&known->gone, memory_order_relaxed) ||
		    known->entry->until != SPOOL_UNTIL_FOREVER || known->end <= start ||
		    known->start >= end)
			continue;
		if (known->start == start && known->end == end && is_same(known, bias, name)) {
			atomic_store_explicit(&known->gone, 0, memory_order_release);
			return true;
		}
		close_known(modules, known);
	}
	return false;
}

/* Under the lock: an entry to fill and publish; NULL if there is no room. */
static struct spool_module *entry_new(struct modules *modules, uint64_t start, uint64_t end,
				      uint64_t bias)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_relaxed);
	struct spool_module *entry = count < KNOWN_MAX ? module_list_new(&modules->list) : NULL;

	if (!entry)
		return NULL;
	entry->start = start;
	entry->end = end;
	entry->bias = bias;
	entry->since = atomic_load_explicit(&modules->unloads, memory_order_relaxed);
	atomic_store_explicit(&entry->until, SPOOL_UNTIL_FOREVER, memory_order_relaxed);
	return entry;
}

static void publish(struct modules *modules, struct spool_module *entry)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_relaxed);

	module_list_publish(&modules->list);
	modules->known[count].start = entry->start;
	modules->known[count].end = entry->end;
	modules->known[count].entry = entry;
	atomic_store_explicit(&modules->known[count].gone, 0, memory_order_relaxed);
	atomic_store_explicit(&modules->known_count, count + 1, memory_order_release);
}

/* Under the lock: append one object. */
static void add(struct modules *modules, uint64_t start, uint64_t end, uint64_t bias,
		const char *name)
{
	uint64_t here = (uint64_t)(uintptr_t)module_start;
	struct spool_module *entry;

	if (revive(modules, start, end, bias, name))
		return;
	entry = entry_new(modules, start, end, bias);
	if (!entry)
		return;
	if (here >= start && here < end)
		entry->flags |= SPOOL_MODULE_OURS;
	module_list_name(&modules->list, entry, name);
	entry->build_id_bytes = elf_note_build_id(start, end, bias, entry->build_id);
	publish(modules, entry);
}

static bool find_loaded(const struct modules *modules, uint64_t pc, struct dl_find_object *object)
{
	return modules->find &&
	       !modules->find((void *)pc, object); /* NOLINT(performance-no-int-to-ptr) */
}

bool module_note(struct modules *modules, uint64_t pc)
{
	static char name[SPOOL_PATH_MAX + 1]; /* under the lock: a handler's stack is small */
	struct dl_find_object object;
	uint64_t bias;

	if (find_known(modules, pc) || module_list_is_foreign(pc))
		return true;
	if (!find_loaded(modules, pc, &object)) {
		module_copy_meet(pc);
		return true;
	}
	if (!try_lock(modules))
		return false;
	if (!find_known(modules, pc) && loader_describe(&object, &bias, name, sizeof(name)))
		add(modules, (uint64_t)object.dlfo_map_start, (uint64_t)object.dlfo_map_end, bias,
		    name);
	unlock(modules);
	return true;
}

bool module_note_named(struct modules *modules, uint64_t start, uint64_t end, const char *name,
		       bool removed)
{
	const struct known *known;

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
		add(modules, start, end, 0, name);
	}
out:
	unlock(modules);
	return true;
}

bool module_is_known(const struct modules *modules, uint64_t start, uint64_t end)
{
	uint32_t count = atomic_load_explicit(&modules->known_count, memory_order_acquire);
	struct dl_find_object object;

	for (uint32_t i = 0; i < count; i++)
		if (modules->known[i].start < end && modules->known[i].end > start)
			return true;
	return find_loaded(modules, start, &object);
}

void module_note_copy(struct modules *modules, uint64_t start, uint64_t end, uint64_t like)
{
	const struct known *original;
	struct spool_module *entry = NULL;

	module_note(modules, like);
	if (module_is_known(modules, start, end) || !lock_patiently(modules))
		return;
	original = find_known(modules, like);
	if (original)
		entry = entry_new(modules, start, end, original->entry->bias + (start - like));
	if (entry) {
		module_list_copy(entry, original->entry);
		publish(modules, entry);
	}
	unlock(modules);
}

/* What a walk over the loader's list carries along. */
struct walk {
	struct modules *modules;
	unsigned long long unloads;
	bool present[KNOWN_MAX];
};

static void bounds(const struct dl_phdr_info *info, uint64_t *start, uint64_t *end)
{
	*start = UINT64_MAX;
	*end = 0;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *segment = &info->dlpi_phdr[i];

		if (segment->p_type != PT_LOAD)
			continue;
		if (info->dlpi_addr + segment->p_vaddr < *start)
			*start = (info->dlpi_addr + segment->p_vaddr) & ~4095ULL;
		if (info->dlpi_addr + segment->p_vaddr + segment->p_memsz > *end)
			*end = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz + 4095) &
			       ~4095ULL;
	}
}

static int note_one(struct dl_phdr_info *info, size_t size, void *context)
{
	struct modules *modules = context;
	uint64_t start, end;

	if (size < offsetof(struct dl_phdr_info, dlpi_tls_modid))
		return 1;
	modules->seen_unloads = info->dlpi_subs;
	bounds(info, &start, &end);
	if (start < end && !find_known(modules, start))
		add(modules, start, end, info->dlpi_addr, info->dlpi_name);
	return 0;
}

void module_note_all(struct modules *modules)
{
	if (!lock_patiently(modules))
		return;
	dl_iterate_phdr(note_one, modules);
	unlock(modules);
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
	if (walk.unloads == modules->seen_unloads || !lock_patiently(modules))
		return false;
	modules->seen_unloads = walk.unloads;
	dl_iterate_phdr(mark_present, &walk);
	count = atomic_load_explicit(&modules->known_count, memory_order_relaxed);
	for (uint32_t i = 0; i < count; i++) {
		struct known *known = &modules->known[i];

		if (!walk.present[i] && !module_list_is_foreign(known->start))
			atomic_store_explicit(&known->gone, 1, memory_order_relaxed);
	}
	unlock(modules);
	return true;
}
