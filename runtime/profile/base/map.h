/*
 * A hash map from two 64-bit words to one 32-bit word: from addresses to names, from tree edges to
 * nodes.  The hash is seeded, so that a hostile file cannot choose keys that collide.
 */
#ifndef RUNTIME_PROFILE_BASE_MAP_H
#define RUNTIME_PROFILE_BASE_MAP_H

#include <stddef.h>
#include <stdint.h>

/* An empty map is zeroed.  Release it with map_free(). */
struct map {
	struct map_slot *slots;
	size_t slot_count; /* a power of two, or 0 */
	size_t used;
	uint64_t seed;
};

void map_free(struct map *map);

/* Find the value of a key.  A missing key is added with value 0, so the value 0 means "new".
 * Returns NULL when memory is out.  The pointer is valid until the next map_at(). */
uint32_t *map_at(struct map *map, uint64_t high, uint64_t low);

/* Returns the value of a key, 0 if it is missing. */
uint32_t map_value(const struct map *map, uint64_t high, uint64_t low);

#endif
