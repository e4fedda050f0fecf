/*
 * The flame graph: one self-contained SVG file with search, zoom and reset.
 */
#ifndef RUNTIME_FOLD_GRAPH_H
#define RUNTIME_FOLD_GRAPH_H

#include <stdbool.h>
#include <stdio.h>

struct stacks;

enum graph_colors { GRAPH_COLORS_HOT, GRAPH_COLORS_SAFE, GRAPH_COLORS_GREY };

struct graph_options {
	const char *title;	  /* NULL: "Flame graph" */
	const char *notes;	  /* one line under the title; NULL: none */
	const char *unit;	  /* what a value counts: "samples", "ns"; NULL: "samples" */
	bool inverted;		  /* icicle: outermost on top */
	double min_width_percent; /* frames narrower than this are not drawn; 0: a default */
	enum graph_colors colors;
};

/* Write the flame graph of sorted stacks to file.  The result is valid XML whatever the names
 * hold.  Returns 0, or -EIO, or -ENODATA when there is nothing to draw (a picture that says so
 * is written all the same). */
int graph_write(struct stacks *stacks, const struct graph_options *options, FILE *file);

#endif
