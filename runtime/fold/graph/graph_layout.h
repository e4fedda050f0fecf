/*
 * Positions of the frames of a flame graph.  A walk over a sorted tree, parents before children,
 * gives each frame's level and the value to its left, and skips frames that are too narrow.
 */
#ifndef RUNTIME_FOLD_GRAPH_GRAPH_LAYOUT_H
#define RUNTIME_FOLD_GRAPH_GRAPH_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct frame;
struct frame_tree;

/* One frame with its position.  The root has level 0 and the name "all". */
struct graph_place {
	const struct frame *frame;
	const char *name;
	size_t level;
	uint64_t left;	 /* value of everything to its left, from the picture's edge */
	uint64_t before; /* total of the same frame in the other profile; 0: not there */
};

/* Visit all frames whose total is at least `least`, parents first, siblings from the left.
 * `before` may be NULL; both trees must be sorted.  A visit that does not return 0 ends the walk.
 * Returns its result, or 0, or -ENOMEM. */
int graph_layout_walk(struct frame_tree *tree, struct frame_tree *before, uint64_t least,
		      int (*visit)(const struct graph_place *place, void *context), void *context);

/* Returns how much the frame's share of the whole grew: -1 … 1.  `total` and `before` are the
 * totals of the two roots. */
double graph_layout_change(const struct graph_place *place, uint64_t total, uint64_t before);

#endif
