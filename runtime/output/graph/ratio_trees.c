/*
 * A ratio is computed from events.  Its accuracy depends on the number of samples that the
 * divisor's group took there: events between two samples are assigned to the stack of the later
 * one, wherever they happened.
 */
#include "runtime/output/graph/ratio_trees.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile.h"

#define FEWEST_SAMPLES 10

void ratio_trees_free(struct ratio_trees *trees)
{
	for (unsigned i = 0; i < trees->count; i++)
		frame_tree_free(trees->tree[i]);
	free(trees->tree);
}

int ratio_trees_reverse(struct ratio_trees *trees, size_t kept)
{
	int err = 0;

	for (unsigned i = 0; !err && i < trees->count; i++)
		if (trees->tree[i])
			err = frame_tree_reverse(&trees->tree[i], kept);
	return err;
}

static struct frame_tree *make(struct ratio_trees *trees, unsigned counter, bool samples, int *err)
{
	struct frame_tree **tree = &trees->tree[2 * counter + samples];

	if (!*err && !*tree)
		*err = profile_tree(trees->profile, counter,
				    samples ? SETTINGS_WEIGHT_SAMPLES : SETTINGS_WEIGHT_EVENTS,
				    tree);
	return *tree;
}

int ratio_trees_graph(struct ratio_trees *trees, const struct ratios_pair *pair,
		      struct graph_ratio *ratio)
{
	unsigned count = 2 * profile_counter_count(trees->profile);
	int err = 0;

	if (!trees->tree)
		trees->tree = calloc(count, sizeof(struct frame_tree *));
	if (!trees->tree)
		return -ENOMEM;
	trees->count = count;
	*ratio = (struct graph_ratio){ .title = pair->title,
				       .by_name = pair->by_name,
				       .scale = pair->scale,
				       .fewest = FEWEST_SAMPLES };
	ratio->of = make(trees, pair->of, false, &err);
	ratio->by = make(trees, pair->by, false, &err);
	ratio->samples = make(trees, profile_counter(trees->profile, pair->by)->leader, true, &err);
	return err;
}

unsigned ratio_trees_offer(const struct profile *profile, unsigned counter,
			   struct ratios_pair *pairs, unsigned room)
{
	unsigned count = 0;

	for (unsigned i = 0; i < profile_counter_count(profile) && count < room; i++) {
		struct ratios_pair *pair = &pairs[count];

		if (ratios_choose(profile, i, pair) &&
		    (pair->by == counter || profile_counter(profile, i)->leader == counter))
			count++;
	}
	return count;
}
