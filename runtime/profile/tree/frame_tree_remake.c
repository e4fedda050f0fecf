/*
 * Builds trees from the stacks of other trees, stack by stack.
 */
#include <errno.h>
#include <stdlib.h>

#include "runtime/profile/tree/frame_tree.h"

int frame_tree_each(struct frame_tree *tree, frame_tree_visit *visit, void *context)
{
	const char **names = calloc(frame_tree_depth(tree) + 1, sizeof(*names));
	int err = names ? 0 : -ENOMEM;

	for (struct frame *frame = frame_tree_root(tree); frame && !err;
	     frame = frame_tree_next(frame)) {
		size_t depth = frame->self ? frame_tree_path(frame, names) : 0;

		if (depth)
			err = visit(context, names, depth, frame->self);
	}
	free(names);
	return err;
}

int frame_tree_remake(struct frame_tree *tree, frame_tree_visit *visit,
		      struct frame_tree_remaking *remaking, struct frame_tree **made)
{
	int err;

	remaking->made = frame_tree_new();
	err = remaking->made ? frame_tree_each(tree, visit, remaking) : -ENOMEM;
	return frame_tree_end(remaking->made, err, made);
}

int frame_tree_replace(struct frame_tree **tree, frame_tree_visit *visit,
		       struct frame_tree_remaking *remaking)
{
	struct frame_tree *old = *tree;
	int err = frame_tree_remake(old, visit, remaking, tree);

	if (!err)
		frame_tree_free(old);
	return err;
}

void frame_tree_reverse_names(const char **names, size_t depth, size_t kept)
{
	for (size_t i = kept, k = depth; i + 1 < k; i++) {
		const char *name = names[i];

		names[i] = names[--k];
		names[k] = name;
	}
}

struct reversal {
	struct frame_tree_remaking remaking;
	size_t kept;
};

static int add_reversed(void *context, const char **names, size_t depth, uint64_t value)
{
	struct reversal *reversal = context;

	frame_tree_reverse_names(names, depth, reversal->kept);
	return frame_tree_add(reversal->remaking.made, names, depth, value);
}

int frame_tree_reverse(struct frame_tree **tree, size_t kept)
{
	struct reversal reversal = { .kept = kept };

	return frame_tree_replace(tree, add_reversed, &reversal.remaking);
}
