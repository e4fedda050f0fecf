/*
 * Short lists of numbers by a key of two: made once, found often.
 */
#ifndef RUNTIME_FOLD_BASE_LISTS_H
#define RUNTIME_FOLD_BASE_LISTS_H

#include <stddef.h>
#include <stdint.h>

struct lists;

/* NULL when memory is out.  Free with lists_free. */
struct lists *lists_new(void);
void lists_free(struct lists *lists);

/* The length of a key's list, with *list valid until the next lists_add; 0: it has none. */
size_t lists_find(struct lists *lists, uint64_t high, uint64_t low, const uint32_t **list);

/* Give a key that has none a list of at least one number, which is copied.
 * Returns 0 or -ENOMEM. */
int lists_add(struct lists *lists, uint64_t high, uint64_t low, const uint32_t *list, size_t count);

#endif
