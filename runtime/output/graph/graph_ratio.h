/*
 * Colours frames by a ratio of two counters: computes each frame's ratio and the colour step that
 * stands for it.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_RATIO_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_RATIO_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/output/graph/graph_color.h"
#include "runtime/profile/merge/ratios.h"

struct frame_tree;

/* Two counters of the drawn stacks.  A frame's colour shows the total of the one counter, with all
 * callees, divided by the total of the other. */
struct graph_ratio {
	const char *title;	    /* unit of its numbers: "page-faults per ms of task-clock" */
	const char *by_name;	    /* name of the divisor */
	double scale;		    /* factor for of / by */
	struct frame_tree *of;	    /* sorted; values are events */
	struct frame_tree *by;	    /* sorted; values are events */
	struct frame_tree *samples; /* number of samples behind `by`; NULL: unknown */
	unsigned fewest;	    /* frames with fewer have no ratio */
};

/* Negative steps: the reason why a frame has no ratio. */
#define GRAPH_RATIO_FEW	 (-1) /* too few samples */
#define GRAPH_RATIO_NONE (-2) /* the divisor is 0 */

struct graph_ratio_frame {
	uint64_t of;
	uint64_t by;
	int step; /* from 0, the least ratio, to GRAPH_COLOR_RATIOS - 1, or a negative one */
};

struct graph_ratio_frames {
	const struct graph_ratio *ratio;
	struct graph_ratio_frame *frame; /* in the order of graph_layout_walk() */
	size_t count;
	double bound[GRAPH_COLOR_RATIOS - 1]; /* ascending: where the next colour begins */
	unsigned bounds;
	double only; /* the ratio of all frames if there is no bound */
};

/* Compute the ratios of the frames that graph_layout_walk() visits with these arguments.  Returns 0
 * with *frames, to be freed with graph_ratio_free(); or -ENOMEM. */
int graph_ratio_make(struct frame_tree *tree, uint64_t least, const struct graph_ratio *ratio,
		     struct graph_ratio_frames *frames);
void graph_ratio_free(struct graph_ratio_frames *frames);

/* Choose the bounds of at most GRAPH_COLOR_RATIOS steps between two numbers, 0 < low <= high: round
 * numbers, evenly spaced if high is near low, at even factors if it is far.  Returns how many. */
unsigned graph_ratio_bounds(double low, double high, double bound[GRAPH_COLOR_RATIOS - 1]);

/* Writes ", 1.5 instructions per cycle", or why there is no ratio. */
void graph_ratio_tell(const struct graph_ratio_frames *frames,
		      const struct graph_ratio_frame *frame, FILE *file);

/* Writes the reason why a frame has no ratio, by its negative step. */
void graph_ratio_reason(const struct graph_ratio *ratio, int step, char *text, size_t bytes);

void graph_ratio_legend(const struct graph_ratio_frames *frames, struct graph_legend *legend);

/* The trees of the requested counters, each made once; they may outlive the profile. */
struct graph_ratio_trees {
	struct profile *profile;  /* set by the caller; all other fields start zeroed */
	unsigned count;		  /* number of trees, two for each counter */
	struct frame_tree **tree; /* 2 * counter: its events; 2 * counter + 1: its samples */
};

void graph_ratio_trees_free(struct graph_ratio_trees *trees);

/* Reverse all trees (see frame_tree_reverse()); ratios have to be made anew.  Returns 0 or
 * -ENOMEM. */
int graph_ratio_trees_reverse(struct graph_ratio_trees *trees, size_t kept);

/* Fill a graph's ratio with the trees of a pair, which `trees` continues to own, and with the texts
 * of the pair.  Returns 0 or -errno. */
int graph_ratio_fill(struct graph_ratio_trees *trees, const struct ratios_pair *pair,
		     struct graph_ratio *ratio);

/* List the ratios for a graph whose widths are those of `counter`: those with it as the divisor,
 * and, if it leads a group, all ratios of that group.  Writes at most `room` and returns how
 * many. */
unsigned graph_ratio_offer(const struct profile *profile, unsigned counter,
			   struct ratios_pair *pairs, unsigned room);

#endif
