/*
 * Colours of a flame graph.  A frame has a style class, and the style sheet gives the class a
 * colour for light and one for dark backgrounds, so the picture follows its viewer's setting.  The
 * class depends only on the name: a function has the same colour in every graph.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_COLOR_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_COLOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runtime/profile/symbols/frame_kind.h"

enum graph_colors { GRAPH_COLORS_HOT, GRAPH_COLORS_SAFE, GRAPH_COLORS_GREY };

#define GRAPH_COLOR_CLASS_BYTES 16

/* Write the class of a name; `kind` and its length without suffix, `bytes`, are those of
 * frame_kind_of(). */
void graph_color_class(enum frame_kind kind, const char *name, size_t bytes,
		       char class[GRAPH_COLOR_CLASS_BYTES]);

/* Write the class for a change of this size if the largest one is `most`; 0: none is significant.
 */
void graph_color_change_class(double change, double most, char class[GRAPH_COLOR_CLASS_BYTES]);

/* Write the class for a step of a ratio, 0 … GRAPH_COLOR_RATIOS - 1; below 0: no ratio, with a
 * dashed edge on request. */
#define GRAPH_COLOR_RATIOS 8
void graph_color_ratio_class(int step, bool edge, char class[GRAPH_COLOR_CLASS_BYTES]);

/* Write the class that represents a kind in the legend. */
void graph_color_kind_class(enum frame_kind kind, char class[GRAPH_COLOR_CLASS_BYTES]);

/* Write the style rules of all classes for the palette, with those of changes and ratios. */
void graph_color_css(FILE *file, enum graph_colors colors);

#endif
