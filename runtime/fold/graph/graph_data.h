/*
 * The flame graph's data as its script reads it: JSON, cut into <metadata> elements.
 *
 *   { "unit", "inverted", "total", "before" (0: no comparison), "kindNames",
 *     "counter", "notes"              only where there are others to choose
 *     "legend":  ["title", [class, text], …]
 *     "byRatio": true                 only where the first ratio is shown at first
 *     "names":   [name, …]            whole, with their suffixes
 *     "kinds":   [index, …]           into kindNames, by name
 *     "classes": [class, …]           by name
 *     "frames":  [pop, name, gap, total, (before, class)…]
 *     "ratios":  [{ "title", "scale", "legend", "reasons": [why a step is -1, -2],
 *                   "values": [of, by, step, …] by frame }] }
 *
 * or, of several counters, an array of such.  Frames come parents first.  `pop` is how many levels
 * to leave before entering this one, `gap` the value of siblings left out between the one before
 * and this.  The last two are there only in a comparison, where a class is "r8" as often as a
 * letter.
 */
#ifndef RUNTIME_FOLD_GRAPH_GRAPH_DATA_H
#define RUNTIME_FOLD_GRAPH_GRAPH_DATA_H

#include <stdint.h>
#include <stdio.h>

struct frame_tree;
struct graph_options;

/* Write the data of all frames with a total of at least `least`.  `before` may be NULL, and
 * `most` is the largest change of a share, for colours.  Returns 0 or -ENOMEM. */
int graph_data_write(struct frame_tree *tree, struct frame_tree *before, uint64_t least,
		     double most, const struct graph_options *options, FILE *file);

#endif
