/*
 * Short lists of numbers, each with a key of two words.  A list is made once and found often.
 */
#ifndef RUNTIME_FOLD_BASE_LISTS_H
#define RUNTIME_FOLD_BASE_LISTS_H

#include <stddef.h>
#include <stdint.h>

#include "runtime/fold/base/map.h"

/* Empty lists are zeroed.  Release them with lists_free(). */
struct lists {
	struct map map;
	uint32_t *numbers;
	size_t used;
};

void lists_free(struct lists *lists);

/* Returns the length of a key's list, with *list valid until the next lists_add(); 0 if the key has
 * no list. */
size_t lists_find(struct lists *lists, uint64_t high, uint64_t low, const uint32_t **list);

/* Add a list of at least one number, which is copied, for a key that has no list yet.  Returns 0 or
 * -ENOMEM. */
int lists_add(struct lists *lists, uint64_t high, uint64_t low, const uint32_t *list, size_t count);

#endif
