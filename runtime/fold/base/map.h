/*
 * A hash map from two 64-bit words to one 32-bit word: from addresses to names, from tree edges to
 * nodes.  The hash is seeded, so that a hostile file cannot choose keys that collide.
 */
#ifndef RUNTIME_FOLD_BASE_MAP_H
#define RUNTIME_FOLD_BASE_MAP_H

#include <stdint.h>

struct map;

/* Returns NULL when memory is out.  Free with map_free(). */
struct map *map_new(void);
void map_free(struct map *map);

/* Find the value of a key.  A missing key is added with value 0, so the value 0 means "new".
 * Returns NULL when memory is out.  The pointer is valid until the next map_at(). */
uint32_t *map_at(struct map *map, uint64_t high, uint64_t low);

#endif
