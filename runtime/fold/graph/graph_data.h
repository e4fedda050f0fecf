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
 * or, for several counters, an array of these.  Frames come parents first.  `pop` is the number of
 * levels to leave before entering this one.  `gap` is the value of the siblings left out between
 * the previous frame and this one.  `before` and `class` exist only in a comparison.
 * There the class is a letter and a number, such as "r8".
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
