/*
 * Colours of a flame graph, and their legend.  A frame has a style class, and the style sheet gives
 * the class a colour for light and one for dark backgrounds, so the picture follows its viewer's
 * setting.  The class depends only on the name: a function has the same colour in every graph.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_COLOR_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_COLOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runtime/profile/symbols/frame_kind.h"

struct json;

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

#define GRAPH_LEGEND_ENTRIES	12
#define GRAPH_LEGEND_TEXT_BYTES 128

struct graph_legend_entry {
	char class[GRAPH_COLOR_CLASS_BYTES];
	char text[GRAPH_LEGEND_TEXT_BYTES];
};

/* Explains the colours: a row of squares, each with its text. */
struct graph_legend {
	char title[256]; /* text before the squares; may be empty */
	struct graph_legend_entry entry[GRAPH_LEGEND_ENTRIES];
	unsigned count;
};

/* Add a square; it is left out if there is no room. */
void graph_legend_add(struct graph_legend *legend, const char *class, const char *text);

/* Add squares for the kinds that occur, if there is more than one. */
void graph_legend_kinds(struct graph_legend *legend, const bool kinds[FRAME_KINDS]);

/* Draw the legend into the picture, on its own line that begins at `left`. */
void graph_legend_draw(const struct graph_legend *legend, double left, double top, FILE *file);

/* Write the member "legend" for the script: ["title", [class, text], …]. */
void graph_legend_json(const struct graph_legend *legend, struct json *json);

/* Write the members "kindNames", "names", "kinds" and "classes" of a JSON object, each on a line of
 * its own.  The first name is the root's, "all", which is no code.  `item` is called between any
 * two elements with the approximate bytes of the last one; may be NULL. */
void graph_legend_names(const char *const *names, size_t count,
			void (*item)(void *context, size_t bytes), void *context,
			struct json *json);

/* Write the member "legend": the kinds of code that occur. */
void graph_legend_of_names(const char *const *names, size_t count, struct json *json);

#endif
