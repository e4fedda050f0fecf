/*
 * Texts lie here and not in the profile, which knows nothing of pictures.
 */
#include "runtime/fold/graph/choices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/profile/profile.h"

/* Were it the only one, an empty file would still say that the program ran. */
bool choices_is_missing(const struct profile *profile, unsigned counter)
{
	const struct spool_counter *about = profile_counter(profile, counter);

	return about->missing ||
	       (profile_counter_count(profile) > 1 && (about->flags & SPOOL_COUNTER_UNAVAILABLE));
}

static int add_ratios(struct choices *choices, unsigned at, unsigned counter)
{
	struct graph_choice *choice = &choices->choice[at];
	struct ratios_pair *pair = choices->pair[at];
	unsigned count =
		ratio_trees_offer(choices->trees.profile, counter, pair, SPOOL_COUNTERS_MAX);
	int err = 0;

	choice->ratios = choices->ratio[at];
	for (; !err && choice->ratio_count < count; choice->ratio_count++)
		err = ratio_trees_graph(&choices->trees, &pair[choice->ratio_count],
					&choices->ratio[at][choice->ratio_count]);
	return err;
}

static int add(struct choices *choices, unsigned counter, enum settings_weight weight, bool ratios)
{
	struct profile *profile = choices->trees.profile;
	struct graph_choice *choice = &choices->choice[choices->count];
	struct notes *notes = &choices->notes[choices->count];
	int err = profile_tree(profile, counter, weight, &choice->tree);

	if (err)
		return err;
	choices->count++;
	notes_make(notes, profile, counter, weight);
	choice->counter = memcpy(choices->name[choices->count - 1],
				 profile_counter(profile, counter)->name, SPOOL_NAME_MAX);
	choice->notes = notes->notes;
	choice->unit = notes->unit;
	return ratios ? add_ratios(choices, choices->count - 1, counter) : 0;
}

int choices_new(struct profile *profile, enum settings_weight weight, bool ratios,
		struct choices **choices)
{
	struct choices *made = calloc(1, sizeof(*made));
	int err = made ? 0 : -ENOMEM;

	*choices = made;
	if (made)
		made->trees.profile = profile;
	for (unsigned i = 0; !err && i < profile_counter_count(profile); i++)
		if (!choices_is_missing(profile, i) && made->count < SPOOL_COUNTERS_MAX)
			err = add(made, i, weight, ratios);
	return err;
}

void choices_free(struct choices *choices)
{
	if (!choices)
		return;
	while (choices->count)
		frame_tree_free(choices->choice[--choices->count].tree);
	ratio_trees_free(&choices->trees);
	free(choices);
}

bool choices_are_several(const struct profile *profile)
{
	unsigned there = 0;

	for (unsigned i = 0; i < profile_counter_count(profile); i++)
		there += !choices_is_missing(profile, i);
	return there > 1;
}

int choices_reverse(struct choices *choices, size_t kept)
{
	int err = ratio_trees_reverse(&choices->trees, kept);

	for (unsigned i = 0; !err && i < choices->count; i++) {
		struct graph_choice *choice = &choices->choice[i];
		struct frame_tree *reversed;

		err = frame_tree_reverse(choice->tree, kept, &reversed);
		if (err)
			break;
		frame_tree_free(choice->tree);
		choice->tree = reversed;
		for (unsigned k = 0; !err && k < choice->ratio_count; k++)
			err = ratio_trees_graph(&choices->trees, &choices->pair[i][k],
						&choices->ratio[i][k]);
	}
	return err;
}
