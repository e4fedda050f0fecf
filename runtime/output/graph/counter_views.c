/* The texts are here and not in the profile, which knows nothing about pictures. */
#include "runtime/output/graph/counter_views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile.h"

/* If it is the only counter, even an empty file shows that the program ran. */
bool counter_views_is_missing(const struct profile *profile, unsigned counter)
{
	const struct spool_counter *about = profile_counter(profile, counter);

	return about->missing ||
	       (profile_counter_count(profile) > 1 && (about->flags & SPOOL_COUNTER_UNAVAILABLE));
}

static int add_ratios(struct counter_views *views, unsigned at, unsigned counter)
{
	struct graph_view *view = &views->view[at];
	struct ratios_pair *pair = views->pair[at];
	unsigned count = graph_ratio_offer(views->trees.profile, counter, pair, SPOOL_COUNTERS_MAX);
	int err = 0;

	view->ratios = views->ratio[at];
	for (; !err && view->ratio_count < count; view->ratio_count++)
		err = graph_ratio_fill(&views->trees, &pair[view->ratio_count],
				       &views->ratio[at][view->ratio_count]);
	return err;
}

static int add(struct counter_views *views, unsigned counter, enum settings_weight weight,
	       bool ratios)
{
	struct profile *profile = views->trees.profile;
	struct graph_view *view = &views->view[views->count];
	struct notes *notes = &views->notes[views->count];
	int err = profile_tree(profile, counter, weight, &view->tree);

	if (err)
		return err;
	views->count++;
	notes_make(notes, profile, counter, weight);
	view->counter = memcpy(views->name[views->count - 1],
			       profile_counter(profile, counter)->name, SPOOL_NAME_MAX);
	view->notes = notes->notes;
	view->unit = notes->unit;
	return ratios ? add_ratios(views, views->count - 1, counter) : 0;
}

int counter_views_new(struct profile *profile, enum settings_weight weight, bool ratios,
		      struct counter_views **views)
{
	struct counter_views *made = calloc(1, sizeof(*made));
	int err = made ? 0 : -ENOMEM;

	*views = made;
	if (made)
		made->trees.profile = profile;
	for (unsigned i = 0; !err && i < profile_counter_count(profile); i++)
		if (!counter_views_is_missing(profile, i) && made->count < SPOOL_COUNTERS_MAX)
			err = add(made, i, weight, ratios);
	return err;
}

void counter_views_free(struct counter_views *views)
{
	if (!views)
		return;
	while (views->count)
		frame_tree_free(views->view[--views->count].tree);
	graph_ratio_trees_free(&views->trees);
	free(views);
}

bool counter_views_are_several(const struct profile *profile)
{
	unsigned there = 0;

	for (unsigned i = 0; i < profile_counter_count(profile); i++)
		there += !counter_views_is_missing(profile, i);
	return there > 1;
}

int counter_views_reverse(struct counter_views *views, size_t kept)
{
	int err = graph_ratio_trees_reverse(&views->trees, kept);

	for (unsigned i = 0; !err && i < views->count; i++) {
		struct graph_view *view = &views->view[i];

		err = frame_tree_reverse(&view->tree, kept);
		for (unsigned k = 0; !err && k < view->ratio_count; k++)
			err = graph_ratio_fill(&views->trees, &views->pair[i][k],
					       &views->ratio[i][k]);
	}
	return err;
}

const char *counter_views_title(const struct counter_views *views)
{
	return views->count && views->notes[0].title[0] ? views->notes[0].title : "flametrap";
}
