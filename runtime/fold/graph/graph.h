/*
 * The flame graph: one self-contained SVG file with search, zoom and reset.
 */
#ifndef RUNTIME_FOLD_GRAPH_GRAPH_H
#define RUNTIME_FOLD_GRAPH_GRAPH_H

#include <stdio.h>

#include "runtime/fold/graph/graph_options.h"

struct frame_tree;

/* Write the flame graph of sorted stacks to file.  The result is valid XML whatever the names
 * hold.  Returns 0, or -EIO, -ENOMEM, or -ENODATA when there is nothing to draw (a picture that
 * says so is written all the same). */
int graph_write(struct frame_tree *tree, const struct graph_options *options, FILE *file);

/* The same for several counters, among which the reader of the picture chooses; the first that
 * counted something is shown.  Of the options, counter, notes, unit and ratios are not looked at.
 */
int graph_write_views(const struct graph_view *views, unsigned count,
		      const struct graph_options *options, FILE *file);

/* The same for two sorted profiles: widths are those of `after`, colours tell how each frame's
 * share of the whole changed: red for more, blue for less.  options->colors is not looked at. */
int graph_write_diff(struct frame_tree *before, struct frame_tree *after,
		     const struct graph_options *options, FILE *file);

#endif
