/*
 * The layout of a flame graph.  Children start at their parent's left edge, in the order of their
 * names; the parent's self value is the rest, at the right.
 */
#include "runtime/fold/graph/graph_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/profile/frame_tree.h"

/* The state of the walk on one level. */
struct level {
	uint64_t next_left;	       /* left edge of its next child */
	const struct frame *candidate; /* first child in `before` not yet passed */
};

/* Returns the frame with that name among the sorted siblings that were not yet passed. */
static const struct frame *match(struct level *level, const char *name)
{
	const struct frame *candidate = level->candidate;

	while (candidate && strcmp(candidate->name, name) < 0)
		candidate = candidate->next_sibling;
	level->candidate = candidate;
	return candidate && strcmp(candidate->name, name) == 0 ? candidate : NULL;
}

static int walk(const struct frame *root, struct level *levels, uint64_t least,
		int (*visit)(const struct graph_place *place, void *context), void *context)
{
	const struct frame *frame = root->first_child;
	size_t depth = 1;

	while (frame) {
		struct level *parent = &levels[depth - 1];
		const struct frame *same = match(parent, frame->name);
		uint64_t left = parent->next_left;

		parent->next_left += frame->total;
		if (frame->total >= least) {
			struct graph_place place = { frame, frame->name, depth, left,
						     same ? same->total : 0 };
			int result = visit(&place, context);

			if (result)
				return result;
			if (frame->first_child) {
				levels[depth].next_left = left;
				levels[depth].candidate = same ? same->first_child : NULL;
				depth++;
				frame = frame->first_child;
				continue;
			}
		}
		while (frame && !frame->next_sibling) {
			frame = frame->parent;
			depth--;
		}
		if (frame)
			frame = frame->next_sibling;
	}
	return 0;
}

int graph_layout_walk(struct frame_tree *tree, struct frame_tree *before, uint64_t least,
		      int (*visit)(const struct graph_place *place, void *context), void *context)
{
	const struct frame *root = frame_tree_root(tree);
	const struct frame *other = before ? frame_tree_root(before) : NULL;
	struct graph_place all = { root, "all", 0, 0, other ? other->total : 0 };
	struct level *levels = calloc(frame_tree_depth(tree) + 1, sizeof(*levels));
	int err;

	if (!levels)
		return -ENOMEM;
	levels[0].candidate = other ? other->first_child : NULL;
	err = visit(&all, context);
	if (!err)
		err = walk(root, levels, least, visit, context);
	free(levels);
	return err;
}

double graph_layout_change(const struct graph_place *place, uint64_t total, uint64_t before)
{
	double share = total ? (double)place->frame->total / (double)total : 0;
	double share_before = before ? (double)place->before / (double)before : 0;

	return share - share_before;
}
