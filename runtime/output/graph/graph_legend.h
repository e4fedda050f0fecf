/* Explains the colours of a flame graph: a row of squares, each with its text, and for a script the
 * colour class of each name. */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_LEGEND_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_LEGEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "runtime/output/graph/graph_color.h"
#include "runtime/profile/symbols/frame_kind.h"

#define GRAPH_LEGEND_ENTRIES	12
#define GRAPH_LEGEND_TEXT_BYTES 128

struct json;

struct graph_legend_entry {
	char class[GRAPH_COLOR_CLASS_BYTES];
	char text[GRAPH_LEGEND_TEXT_BYTES];
};

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
