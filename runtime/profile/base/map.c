/*
 * Open addressing with linear probing.  The table is at most two thirds full and never shrinks.  It
 * has no slots and no seed until the first key comes: most maps of a short run stay empty.
 */
#include "runtime/profile/base/map.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/random.h>

#define MAP_SLOTS_FIRST 64

struct map_slot {
	uint64_t high;
	uint64_t low;
	uint32_t value;
	bool taken;
};

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9ULL;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebULL;
	return x ^ (x >> 31);
}

static struct map_slot *probe(const struct map *map, uint64_t high, uint64_t low)
{
	size_t mask = map->slot_count - 1;
	size_t at = (size_t)mix(mix(high ^ map->seed) + low) & mask;

	while (map->slots[at].taken && (map->slots[at].high != high || map->slots[at].low != low))
		at = (at + 1) & mask;
	return &map->slots[at];
}

static bool grow(struct map *map)
{
	struct map_slot *old = map->slots;
	size_t old_count = map->slot_count;
	size_t count = old_count ? old_count * 2 : MAP_SLOTS_FIRST;

	/* Early after boot there may be no randomness yet.  Then the hash is merely predictable. */
	if (!old_count && getrandom(&map->seed, sizeof(map->seed), GRND_NONBLOCK) < 0)
		map->seed = (uintptr_t)map;
	map->slots = calloc(count, sizeof(*map->slots));
	if (!map->slots) {
		map->slots = old;
		return false;
	}
	map->slot_count = count;
	for (size_t i = 0; old && i < old_count; i++)
		if (old[i].taken)
			*probe(map, old[i].high, old[i].low) = old[i];
	free(old);
	return true;
}

void map_free(struct map *map)
{
	free(map->slots);
	*map = (struct map){ 0 };
}

uint32_t *map_at(struct map *map, uint64_t high, uint64_t low)
{
	struct map_slot *slot = map->slots ? probe(map, high, low) : NULL;

	if (slot && slot->taken)
		return &slot->value;
	if (!slot || map->used + 1 > map->slot_count / 3 * 2) {
		if (!grow(map))
			return NULL;
		slot = probe(map, high, low);
	}
	map->used++;
	*slot = (struct map_slot){ .high = high, .low = low, .taken = true };
	return &slot->value;
}

uint32_t map_value(const struct map *map, uint64_t high, uint64_t low)
{
	const struct map_slot *slot = map->slots ? probe(map, high, low) : NULL;

	return slot && slot->taken ? slot->value : 0;
}
