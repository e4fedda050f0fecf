/*
 * The flame graph: one self-contained SVG file with search, zoom and reset.
 */
#ifndef RUNTIME_FOLD_GRAPH_GRAPH_H
#define RUNTIME_FOLD_GRAPH_GRAPH_H

#include <stdio.h>

#include "runtime/fold/graph/graph_options.h"

struct frame_tree;

/* Write the flame graph of sorted stacks to file.  The result is valid XML whatever bytes the names
 * hold.  Returns 0, or -EIO, -ENOMEM, or -ENODATA if there is nothing to draw (then a picture that
 * says so is still written). */
int graph_write(struct frame_tree *tree, const struct graph_options *options, FILE *file);

/* Like graph_write(), for several counters from which the user can choose in the picture.  The
 * first counter with a count is shown first.  Ignores counter, notes, unit and ratios of the
 * options. */
int graph_write_views(const struct graph_view *views, unsigned count,
		      const struct graph_options *options, FILE *file);

/* Like graph_write(), for two sorted profiles.  Widths are those of `after`; colours show how each
 * frame's share of the whole changed: red for more, blue for less.  Ignores options->colors. */
int graph_write_diff(struct frame_tree *before, struct frame_tree *after,
		     const struct graph_options *options, FILE *file);

#endif
