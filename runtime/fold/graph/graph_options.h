/*
 * How a flame graph is to look, and the counters among which its reader chooses.
 */
#ifndef RUNTIME_FOLD_GRAPH_GRAPH_OPTIONS_H
#define RUNTIME_FOLD_GRAPH_GRAPH_OPTIONS_H

#include <stdbool.h>

#include "runtime/fold/graph/graph_color.h"
#include "runtime/fold/graph/graph_ratio.h"

struct frame_tree;

struct graph_options {
	const char *title;	  /* NULL: "Flame graph" */
	const char *notes;	  /* one line under the title; NULL: none */
	const char *unit;	  /* what a value counts: "samples", "ns"; NULL: "samples" */
	const char *counter;	  /* what the reader chooses it by among others; NULL: no others */
	bool inverted;		  /* icicle: outermost on top */
	double min_width_percent; /* narrower frames are left out of the file; 0: a default */
	enum graph_colors colors;
	unsigned width_px;		  /* of the picture where no script runs; 0: a default */
	const struct graph_ratio *ratios; /* to be chosen by the reader; `counter` is needed then */
	unsigned ratio_count;
	bool by_ratio; /* the first of them is shown at first */
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
