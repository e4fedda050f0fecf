/*
 * One walk over the tree, parents before children.  A frame adds to the total of its name only if
 * no frame above it has the same name.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/profile/base/order.h"
#include "runtime/profile/tree/frame_tree.h"

struct step {
	const struct frame *frame;
	uint32_t name;
};

struct walk {
	struct map numbers; /* of names, by their addresses in the tree: index + 1 */
	struct function *list;
	uint32_t *on_path; /* same index: how often the name is on the path */
	uint32_t count;
	struct step *path;
	size_t depth;
	size_t outer; /* frames that are no functions */
};

/* Returns the number of a name, from 1; 0 when memory is out. */
static uint32_t number_of(struct walk *walk, const char *name)
{
	uint32_t *number = map_at(&walk->numbers, (uintptr_t)name, 0);

	if (!number || *number)
		return number ? *number : 0;
	if (!grow(&walk->list, walk->count, sizeof(*walk->list)) ||
	    !grow(&walk->on_path, walk->count, sizeof(*walk->on_path)))
		return 0;
	walk->list[walk->count] = (struct function){ .name = name };
	walk->on_path[walk->count++] = 0;
	*number = walk->count;
	return *number;
}

static bool is_outer(const struct walk *walk, const struct frame *frame)
{
	for (size_t i = 0; i < walk->outer && frame->parent; i++)
		frame = frame->parent;
	return !frame->parent;
}

static int enter(struct walk *walk, const struct frame *frame)
{
	struct function *function;
	uint32_t name;

	while (walk->depth && walk->path[walk->depth - 1].frame != frame->parent)
		walk->on_path[walk->path[--walk->depth].name - 1]--;
	if (is_outer(walk, frame))
		return 0;
	name = number_of(walk, frame->name);
	if (!name)
		return -ENOMEM;
	function = &walk->list[name - 1];
	function->self += frame->self;
	if (!walk->on_path[name - 1]++)
		function->total += frame->total;
	walk->path[walk->depth++] = (struct step){ frame, name };
	return 0;
}

static int by_self(const void *left, const void *right)
{
	const struct function *a = left;
	const struct function *b = right;

	return order_of(b->self, a->self)
		       ?: order_of(b->total, a->total)
		       ?: strcmp(a->name, b->name);
}

static int by_total_first(const void *left, const void *right)
{
	const struct function *a = left, *b = right;

	return order_of(b->total, a->total) ?: by_self(left, right);
}

int functions_list(struct frame_tree *tree, size_t outer, bool by_total, struct function **list,
		   size_t *count)
{
	struct walk walk = { .outer = outer };
	const struct frame *frame = frame_tree_root(tree);
	int err;

	walk.path = calloc(frame_tree_depth(tree) + 1, sizeof(*walk.path));
	err = walk.path ? 0 : -ENOMEM;
	while (!err && (frame = frame_tree_next(frame)))
		err = enter(&walk, frame);
	*count = err ? 0 : walk.count;
	if (walk.list)
		qsort(walk.list, *count, sizeof(*walk.list), by_total ? by_total_first : by_self);
	map_free(&walk.numbers);
	free(walk.path);
	free(walk.on_path);
	if (err) {
		free(walk.list);
		walk.list = NULL;
	}
	*list = walk.list;
	return err;
}
