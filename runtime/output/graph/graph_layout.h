/*
 * Positions of the frames of a flame graph.  A walk over a sorted tree, parents before children,
 * gives each frame's level and the value to its left, and skips frames that are too narrow.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_LAYOUT_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct frame;
struct frame_tree;
struct graph_diff;
struct tree_change;

/* One frame with its position.  The root has level 0 and the name "all". */
struct graph_place {
	const struct frame *frame;
	const char *name;
	size_t level;
	uint64_t left;	/* value of everything to its left, from the picture's edge */
	uint64_t value; /* its width */
	uint64_t other; /* total of the same frame in the other tree; 0: not there */
	const struct tree_change *change; /* in a comparison; otherwise NULL */
};

/* Visit all frames whose total is at least `least`, parents first, siblings from the left.  Widths
 * are totals; with `diff`, of a comparison, the means of its side.  `other` is a tree whose totals
 * are wanted beside them, or NULL; both trees must be sorted.  A visit that does not return 0 ends
 * the walk.  Returns its result, or 0, or -ENOMEM. */
int graph_layout_walk(struct frame_tree *tree, struct frame_tree *other,
		      const struct graph_diff *diff, uint64_t least,
		      int (*visit)(const struct graph_place *place, void *context), void *context);

#endif
