/*
 * Where the frames of a flame graph lie: a walk over a sorted tree, parents before children,
 * that knows each frame's level and what stands left of it, and passes by what is too narrow.
 */
#ifndef RUNTIME_FOLD_GRAPH_GRAPH_LAYOUT_H
#define RUNTIME_FOLD_GRAPH_GRAPH_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

struct frame;
struct frame_tree;

/* One frame in its place.  The root has level 0 and is called "all". */
struct graph_place {
	const struct frame *frame;
	const char *name;
	size_t level;
	uint64_t left;	 /* value of everything left of it, from the picture's edge */
	uint64_t before; /* total of the same frame in the other profile; 0: none there */
};

/* Visit all frames whose total is at least `least`, parents first, siblings from the left.
 * `before` may be NULL; both must be sorted.  A visit that returns something else than 0 ends
 * the walk.  Returns that, or 0, or -ENOMEM. */
int graph_layout_walk(struct frame_tree *tree, struct frame_tree *before, uint64_t least,
		      int (*visit)(const struct graph_place *place, void *context), void *context);

/* How much larger the frame's share of the whole is than it was before: -1 … 1.
 * The totals are those of the two roots. */
double graph_layout_change(const struct graph_place *place, uint64_t total, uint64_t before);

#endif
