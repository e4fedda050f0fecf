/*
 * The changes of each frame of the stacks, for pictures: a frame is coloured only where its change
 * is significant.  A false mark is bounded over all frames together (Benjamini and Hochberg).
 */
#ifndef RUNTIME_COMPARE_TREE_CHANGES_H
#define RUNTIME_COMPARE_TREE_CHANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "runtime/compare/changes.h"

struct frame;
struct frame_tree;
struct runs;
struct tree_changes;

/* One frame, with its callees. */
struct tree_change {
	double mean[2];	  /* per run: before, after */
	double low, high; /* of after - before; NaN where it is not known, or not tested */
	bool tested;	  /* large enough to take part */
	bool significant; /* of the root: by itself */
};

struct tree_changes_options {
	struct changes_options changes; /* as for the functions */
	const double *factors;		/* of all runs, those before first, as functions are
					 * divided by it (struct changes); NULL: none */
	bool reverse;			/* stacks, behind `outer` frames */
	size_t outer;
};

/* Compute the changes of all frames of settled runs.  Returns 0 with *changes, which does not need
 * the runs any more; or -errno as changes_make(). */
int tree_changes_make(const struct runs *runs, const struct tree_changes_options *options,
		      struct tree_changes **changes);
void tree_changes_free(struct tree_changes *changes);

/* The stacks of all runs of both sides together, sorted: every frame that a picture may need, at
 * normalized where speed factors are used.  Values are means per run of the side after, rounded so
 * that a frame is the sum of its own value and its callees, and at most 1 from its mean.  A frame
 * that only the side before has is there with a value of 0.  Owned by the changes. */
struct frame_tree *tree_changes_tree(const struct tree_changes *changes);

/* Returns the change of a frame of that tree. */
const struct tree_change *tree_changes_of(const struct tree_changes *changes,
					  const struct frame *frame);

/* Returns the largest significant change below the root, for the scale of colours; 0: none. */
double tree_changes_most(const struct tree_changes *changes);

#endif
