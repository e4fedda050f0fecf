/*
 * Frames coloured by a ratio of two counters: what each frame's ratio is, and which of a few
 * steps of colour stands for it.
 */
#ifndef RUNTIME_FOLD_GRAPH_GRAPH_RATIO_H
#define RUNTIME_FOLD_GRAPH_GRAPH_RATIO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/fold/graph/graph_color.h"
#include "runtime/fold/graph/graph_legend.h"

struct frame_tree;

/* Two counters of the same stacks as those that are drawn, to colour frames by what each frame,
 * with all that it called, counted of one for what it counted of the other. */
struct graph_ratio {
	const char *title;	    /* "page-faults per ms of task-clock": what its numbers count */
	const char *by_name;	    /* the latter counter's */
	double scale;		    /* what of / by is multiplied by */
	struct frame_tree *of;	    /* sorted; events */
	struct frame_tree *by;	    /* likewise */
	struct frame_tree *samples; /* how many samples `by` rests on; NULL: not known */
	unsigned fewest;	    /* frames with fewer have no ratio */
};

/* In the place of a step: why a frame has no ratio. */
#define GRAPH_RATIO_FEW	 (-1) /* too few samples */
#define GRAPH_RATIO_NONE (-2) /* nothing was counted of what is divided by */

struct graph_ratio_frame {
	uint64_t of;
	uint64_t by;
	int step; /* from 0, the least ratio, to GRAPH_COLOR_RATIOS - 1, or one of the above */
};

struct graph_ratio_frames {
	const struct graph_ratio *ratio;
	struct graph_ratio_frame *frame; /* in the order of graph_layout_walk */
	size_t count;
	size_t room;
	double bound[GRAPH_COLOR_RATIOS - 1]; /* rising: where the next colour begins */
	unsigned bounds;
	double only; /* the one ratio of all frames where there is no bound */
};

/* Ratios of the frames that graph_layout_walk visits with such stacks and `least`.
 * Returns 0 with *frames to be freed by graph_ratio_free; or -ENOMEM. */
int graph_ratio_make(struct frame_tree *tree, uint64_t least, const struct graph_ratio *ratio,
		     struct graph_ratio_frames *frames);
void graph_ratio_free(struct graph_ratio_frames *frames);

/* The bounds of at most GRAPH_COLOR_RATIOS steps between two numbers, 0 < low <= high: round
 * ones, at even distances where high is near, at even factors where it is far.
 * Returns how many. */
unsigned graph_ratio_bounds(double low, double high, double bound[GRAPH_COLOR_RATIOS - 1]);

/* ", 1.5 instructions per cycle", or why there is none. */
void graph_ratio_tell(const struct graph_ratio_frames *frames,
		      const struct graph_ratio_frame *frame, FILE *file);

/* The reason why a frame has none, by its step. */
void graph_ratio_reason(const struct graph_ratio *ratio, int step, char *text, size_t bytes);

void graph_ratio_legend(const struct graph_ratio_frames *frames, struct graph_legend *legend);

#endif
