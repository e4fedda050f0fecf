/*
 * The layout of a flame graph.  Children start at their parent's left edge, in the order of their
 * names; the parent's self value is the rest, at the right.
 */
#include "runtime/output/graph/graph_layout.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/compare/tree_changes.h"
#include "runtime/output/graph/graph_diff.h"
#include "runtime/profile/tree/frame_tree.h"

/* The state of the walk on one level. */
struct level {
	uint64_t next_left;	       /* left edge of its next child */
	double mean;		       /* left edge of its last child, before it is rounded */
	double next_mean;	       /* left edge of its next child, likewise */
	const struct frame *candidate; /* first child in the other tree not yet passed */
};

struct walker {
	const struct graph_diff *diff; /* NULL: widths are totals */
	uint64_t least;
	int (*visit)(const struct graph_place *place, void *context);
	void *context;
	struct level *levels;
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

static uint64_t rounded(double value)
{
	return (uint64_t)(value + .5);
}

/* Set position and width of the next child of a level.  Means are added before they are rounded:
 * then no child leaves its parent. */
static void place_next(const struct walker *walker, struct level *level, struct graph_place *place)
{
	if (walker->diff) {
		place->change = tree_changes_of(walker->diff->changes, place->frame);
		level->mean = level->next_mean;
		place->left = rounded(level->mean);
		level->next_mean += place->change->mean[walker->diff->side];
		place->value = rounded(level->next_mean) - place->left;
	} else {
		place->left = level->next_left;
		place->value = place->frame->total;
	}
	level->next_left = place->left + place->value;
}

static void enter(const struct level *parent, struct level *level, const struct graph_place *place,
		  const struct frame *same)
{
	level->next_left = place->left;
	level->candidate = same ? same->first_child : NULL;
	level->next_mean = parent->mean;
}

static int walk(const struct walker *walker, const struct frame *frame)
{
	size_t depth = 1;

	while (frame) {
		struct level *parent = &walker->levels[depth - 1];
		const struct frame *same = match(parent, frame->name);
		struct graph_place place = { .frame = frame,
					     .name = frame->name,
					     .level = depth,
					     .other = same ? same->total : 0 };

		place_next(walker, parent, &place);
		if (place.value >= walker->least) {
			int result = walker->visit(&place, walker->context);

			if (result)
				return result;
			if (frame->first_child) {
				enter(parent, &walker->levels[depth], &place, same);
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

int graph_layout_walk(struct frame_tree *tree, struct frame_tree *other,
		      const struct graph_diff *diff, uint64_t least,
		      int (*visit)(const struct graph_place *place, void *context), void *context)
{
	struct walker walker = { .diff = diff, .least = least, .visit = visit, .context = context };
	const struct frame *root = frame_tree_root(tree);
	const struct frame *same = other ? frame_tree_root(other) : NULL;
	struct graph_place all = { root, "all", 0, 0, 0, same ? same->total : 0, NULL };
	struct level above = { .next_left = 0 };
	int err;

	walker.levels = calloc(frame_tree_depth(tree) + 1, sizeof(*walker.levels));
	if (!walker.levels)
		return -ENOMEM;
	place_next(&walker, &above, &all);
	enter(&above, &walker.levels[0], &all, same);
	err = visit(&all, context);
	if (!err)
		err = walk(&walker, root->first_child);
	free(walker.levels);
	return err;
}
