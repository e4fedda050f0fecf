/*
 * Makes the ratios of a profile's counters for the colours of a flame graph.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_RATIO_TREES_H
#define RUNTIME_OUTPUT_GRAPH_RATIO_TREES_H

#include "runtime/output/graph/graph_ratio.h"
#include "runtime/profile/merge/ratios.h"

/* The trees of the requested counters, each made once; they may outlive the profile. */
struct ratio_trees {
	struct profile *profile;  /* set by the caller; all other fields start zeroed */
	unsigned count;		  /* number of trees, two for each counter */
	struct frame_tree **tree; /* 2 * counter: its events; 2 * counter + 1: its samples */
};

void ratio_trees_free(struct ratio_trees *trees);

/* Reverse all trees (see frame_tree_reverse()); ratios have to be made anew.  Returns 0 or
 * -ENOMEM. */
int ratio_trees_reverse(struct ratio_trees *trees, size_t kept);

/* Fill a graph's ratio with the trees of a pair, which `trees` continues to own, and with the texts
 * of the pair.  Returns 0 or -errno. */
int ratio_trees_graph(struct ratio_trees *trees, const struct ratios_pair *pair,
		      struct graph_ratio *ratio);

/* List the ratios for a graph whose widths are those of `counter`: those with it as the divisor,
 * and, if it leads a group, all ratios of that group.  Writes at most `room` and returns how
 * many. */
unsigned ratio_trees_offer(const struct profile *profile, unsigned counter,
			   struct ratios_pair *pairs, unsigned room);

#endif
