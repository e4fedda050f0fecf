/*
 * All lists lie in one array, each after its length.  The first is at index 1, because value 0 in a
 * map marks a new key.
 */
#include "runtime/fold/base/lists.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/grow.h"

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

static bool push(struct lists *lists, uint32_t number)
{
	if (!grow(&lists->numbers, lists->used, sizeof(number)))
		return false;
	lists->numbers[lists->used++] = number;
	return true;
}

int lists_add(struct lists *lists, uint64_t high, uint64_t low, const uint32_t *list, size_t count)
{
	uint32_t *at = map_at(&lists->map, high, low);
	size_t start = lists->used ? lists->used : 1;
	bool added = at && start + count < UINT32_MAX;

	if (added && !lists->used)
		added = push(lists, 0);
	added = added && push(lists, (uint32_t)count);
	for (size_t i = 0; added && i < count; i++)
		added = push(lists, list[i]);
	if (added)
		*at = (uint32_t)start;
	return added ? 0 : -ENOMEM;
}
