/*
 * Lists that grow by one element at a time.  The length alone tells when memory is needed, so a
 * list has no field for its capacity.
 */
#ifndef RUNTIME_PROFILE_BASE_GROW_H
#define RUNTIME_PROFILE_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define GROW_FIRST 16 /* elements; a power of two */

/* Make room for one more element.  `list` is the address of a pointer to `count` elements of
 * `bytes` bytes, or to NULL; the memory doubles.  Returns false, with the list unchanged, when
 * memory is out. */
static inline bool grow(void *list, size_t count, size_t bytes)
{
	size_t capacity = count < GROW_FIRST ? GROW_FIRST : 2 * count;
	void *grown;

	if (count && (count < GROW_FIRST || (count & (count - 1))))
		return true;
	memcpy(&grown, list, sizeof(grown));
	grown = reallocarray(grown, capacity, bytes);
	if (grown)
		memcpy(list, &grown, sizeof(grown));
	return grown;
}

#endif
