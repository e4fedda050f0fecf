/*
 * Ratios of a profile's counters, as a flame graph takes them to colour its frames.
 */
#ifndef RUNTIME_FOLD_GRAPH_RATIO_TREES_H
#define RUNTIME_FOLD_GRAPH_RATIO_TREES_H

#include "runtime/fold/graph/graph_ratio.h"
#include "runtime/fold/profile/ratios.h"

/* The trees of counters that were asked for, each made once; they may outlive the profile. */
struct ratio_trees {
	struct profile *profile;    /* set by the caller; all else is zero at first */
	unsigned count;		    /* counters */
	struct frame_tree **events; /* by counter */
	struct frame_tree **samples;
};

void ratio_trees_free(struct ratio_trees *trees);

/* Turn all trees round (see frame_tree_reverse); ratios have to be made anew.
 * Returns 0 or -ENOMEM. */
int ratio_trees_reverse(struct ratio_trees *trees, size_t kept);

/* Fill a graph's ratio with the trees of a pair, which stay the trees' own; its texts are the
 * pair's.  Returns 0 or -errno. */
int ratio_trees_graph(struct ratio_trees *trees, const struct ratios_pair *pair,
		      struct graph_ratio *ratio);

/* The ratios to offer where the widths are those of `counter`: those it divides, and, if it
 * leads a group, all of that group.  Writes at most `room` and returns how many. */
unsigned ratio_trees_offer(const struct profile *profile, unsigned counter,
			   struct ratios_pair *pairs, unsigned room);

#endif
