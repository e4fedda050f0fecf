/* The appearance of a flame graph, and the counters from which its user can choose. */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_OPTIONS_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_OPTIONS_H

#include <stdbool.h>

#include "runtime/output/graph/graph_color.h"
#include "runtime/output/graph/graph_ratio.h"

struct frame_tree;

struct graph_options {
	const char *title;	  /* NULL: "Flame graph" */
	const char *notes;	  /* one line under the title; NULL: none */
	const char *unit;	  /* unit of a value: "samples", "ns"; NULL: "samples" */
	const char *counter;	  /* its name in the list of counters; NULL: no other counters */
	bool inverted;		  /* icicle: outermost on top */
	double min_width_percent; /* narrower frames are left out of the file; 0: default */
	enum graph_colors colors;
	unsigned width_px;		  /* of the picture where no script runs; 0: default */
	const struct graph_ratio *ratios; /* offered to the user; need `counter` */
	unsigned ratio_count;
	bool by_ratio; /* the first ratio is shown first */
};

/* One of several counters of a profile. */
struct graph_view {
	const char *counter;
	const char *notes;
	const char *unit;
	struct frame_tree *tree; /* sorted */
	const struct graph_ratio *ratios;
	unsigned ratio_count;
};

#endif
