/*
 * All lists lie in one array, each after its length.  The first is at index 1, because value 0 in a
 * map marks a new key.
 */
#include "runtime/fold/base/lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/map.h"

struct lists {
	struct map *map;
	uint32_t *numbers;
	size_t used;
	size_t capacity;
};

struct lists *lists_new(void)
{
	struct lists *lists = calloc(1, sizeof(*lists));

	if (!lists)
		return NULL;
	lists->used = 1;
	lists->map = map_new();
	if (lists->map)
		return lists;
	free(lists);
	return NULL;
}

void lists_free(struct lists *lists)
{
	if (!lists)
		return;
	map_free(lists->map);
	free(lists->numbers);
	free(lists);
}

size_t lists_find(struct lists *lists, uint64_t high, uint64_t low, const uint32_t **list)
{
	const uint32_t *at = map_at(lists->map, high, low);

	if (!at || !*at)
		return 0;
	*list = &lists->numbers[*at + 1];
	return lists->numbers[*at];
}

int lists_add(struct lists *lists, uint64_t high, uint64_t low, const uint32_t *list, size_t count)
{
	size_t end = lists->used + count + 1;
	uint32_t *at = map_at(lists->map, high, low);
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
	lists->numbers[lists->used] = (uint32_t)count;
	memcpy(&lists->numbers[lists->used + 1], list, count * sizeof(*list));
	*at = (uint32_t)lists->used;
	lists->used = end;
	return 0;
}
