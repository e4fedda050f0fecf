/* The flame graph: one self-contained SVG file with search, zoom and reset. */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_H

#include <stdio.h>

#include "runtime/output/graph/graph_options.h"

struct frame_tree;
struct tree_changes;

/* Write the flame graph of sorted stacks to file.  The result is valid XML whatever bytes the names
 * hold.  Returns 0, or -EIO, -ENOMEM, or -ENODATA if there is nothing to draw (then a picture that
 * says so is still written). */
int graph_write(struct frame_tree *tree, const struct graph_options *options, FILE *file);

/* Like graph_write(), for several counters from which the user can choose in the picture.  The
 * first counter with a count is shown first.  Ignores counter, notes, unit and ratios of the
 * options. */
int graph_write_views(const struct graph_view *views, unsigned count,
		      const struct graph_options *options, FILE *file);

/* Like graph_write(), for two sides of runs.  Widths are those of the side after, and the user can
 * choose those of the side before.  Colours show how each frame's value per run changed: red for
 * more, blue for less, grey where the change is not significant.  `alpha` is that of the changes,
 * or 0 if they have no intervals.  Ignores counter and ratios of the options. */
int graph_write_diff(const struct tree_changes *changes, double alpha,
		     const struct graph_options *options, FILE *file);

#endif
