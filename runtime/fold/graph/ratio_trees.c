/*
 * A ratio is computed from events.  Its accuracy depends on the number of samples that the
 * divisor's group took there: events between two samples are assigned to the stack of the later
 * one, wherever they happened.
 */
#include "runtime/fold/graph/ratio_trees.h"

#include <errno.h>
#include <stdlib.h>

#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/profile/profile.h"

#define FEWEST_SAMPLES 10

void ratio_trees_free(struct ratio_trees *trees)
{
	for (unsigned i = 0; trees->events && trees->samples && i < trees->count; i++) {
		frame_tree_free(trees->events[i]);
		frame_tree_free(trees->samples[i]);
	}
	free(trees->events);
	free(trees->samples);
}

int ratio_trees_reverse(struct ratio_trees *trees, size_t kept)
{
	int err = 0;

	for (unsigned i = 0; !err && trees->events && trees->samples && i < trees->count; i++) {
		if (trees->events[i])
			err = frame_tree_reverse(&trees->events[i], kept);
		if (!err && trees->samples[i])
			err = frame_tree_reverse(&trees->samples[i], kept);
	}
	return err;
}

static int prepare(struct ratio_trees *trees)
{
	trees->count = profile_counter_count(trees->profile);
	if (!trees->events)
		trees->events = calloc(trees->count, sizeof(struct frame_tree *));
	if (!trees->samples)
		trees->samples = calloc(trees->count, sizeof(struct frame_tree *));
	return trees->events && trees->samples ? 0 : -ENOMEM;
}

static int make(struct profile *profile, unsigned counter, enum settings_weight weight,
		struct frame_tree **tree)
{
	return *tree ? 0 : profile_tree(profile, counter, weight, tree);
}

int ratio_trees_graph(struct ratio_trees *trees, const struct ratios_pair *pair,
		      struct graph_ratio *ratio)
{
	const struct spool_counter *by = profile_counter(trees->profile, pair->by);
	int err = prepare(trees);

	if (err)
		return err;
	err = make(trees->profile, pair->of, SETTINGS_WEIGHT_EVENTS, &trees->events[pair->of]);
	if (!err)
		err = make(trees->profile, pair->by, SETTINGS_WEIGHT_EVENTS,
			   &trees->events[pair->by]);
	if (!err)
		err = make(trees->profile, by->leader, SETTINGS_WEIGHT_SAMPLES,
			   &trees->samples[by->leader]);
	*ratio = (struct graph_ratio){ .title = pair->title,
				       .by_name = pair->by_name,
				       .scale = pair->scale,
				       .of = trees->events[pair->of],
				       .by = trees->events[pair->by],
				       .samples = trees->samples[by->leader],
				       .fewest = FEWEST_SAMPLES };
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
