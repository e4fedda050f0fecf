/* What a flame graph of a comparison says of a frame: its colour, and its change in words. */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_DIFF_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_DIFF_H

#include <stdio.h>

#include "runtime/compare/runs.h"
#include "runtime/output/graph/graph_color.h"

struct graph_legend;
struct json;
struct tree_change;
struct tree_changes;

struct graph_diff {
	const struct tree_changes *changes;
	enum runs_side side; /* whose widths are drawn */
	double alpha;	     /* 1 - confidence of the intervals; 0: there are none */
};

/* Write the class of a frame's colour: grey where its change is not significant. */
void graph_diff_class(const struct graph_diff *diff, const struct tree_change *change,
		      char class[GRAPH_COLOR_CLASS_BYTES]);

/* Write "before 50 samples, 50.00%; after 75 samples, 75.00%; change +25 samples, +50.0%, 99%
 * interval +10 samples to +40 samples", and ", not significant" where it is not. */
void graph_diff_tell(const struct graph_diff *diff, const struct tree_change *change,
		     const char *unit, FILE *file);

/* Add the squares of a comparison. */
void graph_diff_legend(const struct graph_diff *diff, struct graph_legend *legend);

/* Write the member "diff" of the picture's data; and after a frame's total, the change of the
 * frame. */
void graph_diff_json(const struct graph_diff *diff, struct json *json);
void graph_diff_frame_json(const struct graph_diff *diff, const struct tree_change *change,
			   struct json *json);

/* Returns the mean of all runs of a side. */
double graph_diff_whole(const struct graph_diff *diff, enum runs_side side);

#endif
