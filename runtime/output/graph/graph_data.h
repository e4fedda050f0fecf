/*
 * The flame graph's data as its script reads it: JSON, cut into <metadata> elements.
 *
 *   { "unit", "inverted", "total", "kindNames",
 *     "before": 0                     only without a comparison; earlier versions had a total
 *                                     of a comparison here
 *     "diff": { "whole": [before, after], "confidence": percent }    only in a comparison; 0: there
 *                                     are no intervals
 *     "counter", "notes"              only where there are others to choose
 *     "legend":  ["title", [class, text], …]
 *     "byRatio": true                 only where the first ratio is shown at first
 *     "names":   [name, …]            whole, with their suffixes
 *     "kinds":   [index, …]           into kindNames, by name
 *     "classes": [class, …]           by name
 *     "frames":  [pop, name, gap, total, (before, after, low, high, class)…]
 *     "ratios":  [{ "title", "scale", "legend", "reasons": [why a step is -1, -2],
 *                   "values": [of, by, step, …] by frame }] }
 *
 * or, for several counters, an array of these.  Frames come parents first.  `pop` is the number of
 * levels to leave before entering this one.  `gap` is the value of the siblings left out between
 * the previous frame and this one.  A comparison is an array of two, with the widths of the side
 * after and with those of the side before.  Its frames have the mean of each side and the interval
 * of the change, or null; there the class is a letter and a number, such as "r8".
 */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_DATA_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_DATA_H

#include <stdint.h>
#include <stdio.h>

struct frame_tree;
struct graph_diff;
struct graph_options;

/* Write the data of all frames with a width of at least `least`.  `diff` is NULL where nothing is
 * compared.  Returns 0 or -ENOMEM. */
int graph_data_write(struct frame_tree *tree, const struct graph_diff *diff, uint64_t least,
		     const struct graph_options *options, FILE *file);

#endif
