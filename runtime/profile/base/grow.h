/*
 * Lists that grow.  The length alone tells when memory is needed, so a list has no field for its
 * capacity.
 */
#ifndef RUNTIME_PROFILE_BASE_GROW_H
#define RUNTIME_PROFILE_BASE_GROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define GROW_FIRST 16 /* elements; a power of two */

/* Make room for `more` elements.  `list` is the address of a pointer to `count` elements of `bytes`
 * bytes, or to NULL; the memory doubles.  Returns false, with the list unchanged, when memory is
 * out. */
static inline bool grow_by(void *list, size_t count, size_t more, size_t bytes)
{
	size_t capacity = GROW_FIRST;
	void *grown;

	while (capacity < count)
		capacity *= 2;
	if (count && count + more <= capacity)
		return true;
	while (capacity < count + more)
		capacity *= 2;
	memcpy(&grown, list, sizeof(grown));
	grown = reallocarray(grown, capacity, bytes);
	if (grown)
		memcpy(list, &grown, sizeof(grown));
	return grown;
}

/* The same for one element. */
static inline bool grow(void *list, size_t count, size_t bytes)
{
	if (count && (count < GROW_FIRST || (count & (count - 1))))
		return true;
	return grow_by(list, count, 1, bytes);
}

#endif
