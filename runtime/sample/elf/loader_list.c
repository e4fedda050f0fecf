/*
 * New objects come last in the loader's list.  So this list and the one of the last look are walked
 * once, side by side.
 */
#include "runtime/sample/elf/loader_list.h"

#include <stddef.h>

#include "runtime/sample/elf/loader.h"

#define SEEN_MAX 2048

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
