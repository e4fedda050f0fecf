/*
 * All lists lie in one array, each after its length.  The first is at index 1, because value 0 in a
 * map marks a new key.
 */
#include "runtime/fold/base/lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void lists_free(struct lists *lists)
{
	map_free(&lists->map);
	free(lists->numbers);
	*lists = (struct lists){ 0 };
}

size_t lists_find(struct lists *lists, uint64_t high, uint64_t low, const uint32_t **list)
{
	const uint32_t *at = map_at(&lists->map, high, low);

	if (!at || !*at)
		return 0;
	*list = &lists->numbers[*at + 1];
	return lists->numbers[*at];
}

int lists_add(struct lists *lists, uint64_t high, uint64_t low, const uint32_t *list, size_t count)
{
	size_t start = lists->used ? lists->used : 1;
	size_t end = start + count + 1;
	uint32_t *at = map_at(&lists->map, high, low);
	uint32_t *grown;

	if (!at || end > UINT32_MAX)
		return -ENOMEM;
	if (end > lists->capacity) {
		grown = reallocarray(lists->numbers, end * 2, sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		lists->numbers = grown;
		lists->capacity = end * 2;
	}
	lists->numbers[start] = (uint32_t)count;
	memcpy(&lists->numbers[start + 1], list, count * sizeof(*list));
	*at = (uint32_t)start;
	lists->used = end;
	return 0;
}
