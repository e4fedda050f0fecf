/*
 * glibc's _dl_find_object (2.35) finds an object without a lock.  The name in its link map is
 * copied piece by piece, because the object may be unloaded in between.
 *
 * New objects come last in the loader's list.  So this list and the one of the last look are walked
 * once, side by side.
 *
 * The snapshot is written by thread code and read by handlers without a lock.  A sequence number is
 * odd while it changes, and a reader that sees it change reports no object.  A handler that
 * interrupts the writer reports none either, and never waits.
 */
#include "runtime/sample/elf/loader.h"

#include <gnu/lib-names.h>
#include <stdatomic.h>
#include <string.h>

#include "runtime/sample/elf/memory.h"

#define PAGE_BYTES  4096UL
#define SEEN_MAX    2048
#define OBJECTS_MAX 512

int (*loader_find_object)(void *address, struct dl_find_object *object);

/* A direct reference would make us depend on ld.so, and could resolve to the program.  By libc's
 * handle the loader looks in libc and in its dependency ld.so. */
void *loader_libc_symbol(const char *name)
{
	void *libc = dlopen(LIBC_SO, RTLD_LAZY | RTLD_NOLOAD);

	return libc ? dlsym(libc, name) : NULL;
}

bool loader_start(void)
{
	static bool asked;

	if (!asked)
		*(void **)&loader_find_object = loader_libc_symbol("_dl_find_object");
	asked = true;
	return loader_find_object;
}

static bool copy_text(char *to, size_t size, uint64_t from)
{
	size_t length = 0;

	while (length < size) {
		size_t bytes = PAGE_BYTES - (from + length) % PAGE_BYTES;

		if (bytes > size - length)
			bytes = size - length;
		if (!memory_copy(to + length, from + length, bytes))
			return false;
		if (memchr(to + length, 0, bytes))
			return true;
		length += bytes;
	}
	to[size - 1] = 0;
	return true;
}

bool loader_describe(const struct dl_find_object *object, uint64_t *bias, char *name, size_t size)
{
	struct link_map map;

	if (!memory_copy(&map, (uint64_t)object->dlfo_link_map, sizeof(map)))
		return false;
	*bias = map.l_addr;
	return copy_text(name, size, (uint64_t)map.l_name);
}

void loader_extent(const Elf64_Phdr *headers, unsigned count, uint64_t bias, uint64_t *start,
		   uint64_t *end)
{
	*start = UINT64_MAX;
	*end = 0;
	for (unsigned i = 0; i < count; i++) {
		uint64_t low = bias + headers[i].p_vaddr;

		if (headers[i].p_type != PT_LOAD)
			continue;
		if (low < *start)
			*start = low & ~(uint64_t)(PAGE_BYTES - 1);
		if (low + headers[i].p_memsz > *end)
			*end = low + headers[i].p_memsz;
	}
}

/* The objects of one look, in the loader's order. */
struct seen {
	unsigned count;
	struct loader_object object[SEEN_MAX];
};

static const struct r_debug *loader;
static struct seen seen[2]; /* one is read while the other is written */
static struct seen *last = &seen[0];

bool loader_list_is_known(void)
{
	loader = loader_libc_symbol("_r_debug");
	return loader && loader->r_brk;
}

uint64_t loader_list_function(void)
{
	return loader->r_brk;
}

struct loader_object loader_list_object(const struct link_map *map)
{
	return (struct loader_object){ map, map->l_addr, map->l_ld };
}

bool loader_list_is_same(const struct loader_object *object, const struct link_map *map)
{
	return object->map == map && object->bias == map->l_addr && object->dynamic == map->l_ld;
}

/* The next namespace's list, link.h. */
static const struct r_debug *next_space(const struct r_debug *space)
{
	if (loader->r_version < 2)
		return NULL;
	return (const void *)((const struct r_debug_extended *)space)->r_next;
}

bool loader_list_is_settled(void)
{
	for (const struct r_debug *space = loader; space; space = next_space(space))
		if (space->r_state != RT_CONSISTENT)
			return false;
	return true;
}

/* The search starts at `from`, where the previous object was found. */
static bool was_seen(const struct link_map *map, unsigned *from)
{
	for (unsigned i = *from; i < last->count; i++) {
		if (!loader_list_is_same(&last->object[i], map))
			continue;
		*from = i + 1;
		return true;
	}
	return false;
}

void loader_list_look(void (*each)(const struct link_map *map, bool is_new, void *context),
		      void *context)
{
	struct seen *now = last == &seen[0] ? &seen[1] : &seen[0];
	unsigned from = 0;

	now->count = 0;
	for (const struct r_debug *space = loader; space; space = next_space(space)) {
		for (const struct link_map *map = space->r_map; map; map = map->l_next) {
			each(map, !was_seen(map, &from), context);
			if (now->count < SEEN_MAX)
				now->object[now->count++] = loader_list_object(map);
		}
	}
	last = now;
}

static struct loader_range objects[OBJECTS_MAX]; /* W: the writer.  R: any handler */
static _Atomic uint32_t object_count;
static _Atomic uint32_t sequence;
static _Atomic bool writing;

static int add_object(struct dl_phdr_info *info, size_t size, void *argument)
{
	uint32_t count = atomic_load_explicit(&object_count, memory_order_relaxed);
	struct loader_range object = { 0 };

	(void)size;
	(void)argument;
	loader_extent(info->dlpi_phdr, info->dlpi_phnum, info->dlpi_addr, &object.start,
		      &object.end);
	for (unsigned i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			object.eh_frame = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
	if (count == OBJECTS_MAX)
		return 1;
	objects[count] = object;
	atomic_store_explicit(&object_count, count + 1, memory_order_relaxed);
	return 0;
}

void loader_snapshot_take(void)
{
	if (atomic_exchange_explicit(&writing, true, memory_order_acquire))
		return; /* the other writer's list is as new */
	atomic_fetch_add_explicit(&sequence, 1, memory_order_relaxed);
	/* pairs with the fence in loader_snapshot_find(): the odd number before the list */
	atomic_thread_fence(memory_order_release);
	atomic_store_explicit(&object_count, 0, memory_order_relaxed);
	dl_iterate_phdr(add_object, NULL);
	/* release: the list before the even number */
	atomic_fetch_add_explicit(&sequence, 1, memory_order_release);
	atomic_store_explicit(&writing, false, memory_order_release);
}

bool loader_snapshot_find(uint64_t address, struct loader_range *object)
{
	uint32_t before = atomic_load_explicit(&sequence, memory_order_acquire);
	uint32_t count = atomic_load_explicit(&object_count, memory_order_relaxed);
	bool found = false;

	if (before & 1)
		return false;
	for (uint32_t i = 0; i < count && !found; i++) {
		*object = objects[i];
		found = address >= object->start && address < object->end;
	}
	/* pairs with the fence in loader_snapshot_take(): reads of the list before the second read
	 * of the number */
	atomic_thread_fence(memory_order_acquire);
	return found && atomic_load_explicit(&sequence, memory_order_relaxed) == before;
}
