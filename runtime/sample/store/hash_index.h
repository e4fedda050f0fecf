/*
 * Numbers by hash, in memory of our own that grows.  Nothing is taken out.  One caller at a time.
 * At every step the child of another thread's fork finds what was added before.
 */
#ifndef RUNTIME_SAMPLE_STORE_HASH_INDEX_H
#define RUNTIME_SAMPLE_STORE_HASH_INDEX_H

#include <stdbool.h>
#include <stdint.h>

struct hash_slot {
	uint64_t hash; /* 0: empty */
	uint64_t number;
};

/* All zero: empty. */
struct hash_index {
	struct hash_slot *slots;
	uint32_t size; /* a power of two */
	uint32_t used;
};

/* Forget all and return the memory.  Context: init, fork child. */
void hash_index_clear(struct hash_index *index);

/* Returns the number of a hash that is not 0; 0: none.  Context: any; likewise the others. */
uint32_t hash_index_find(const struct hash_index *index, uint64_t hash);

/* True if a number can be added.  Makes room for it if needed. */
bool hash_index_has_room(struct hash_index *index);

/* Add a number that is not 0 for a hash that is not 0 and has none, after hash_index_has_room(). */
void hash_index_add(struct hash_index *index, uint64_t hash, uint32_t number);

#endif
