/* Trees of named frames: the stacks of a profile, and those of folded files that are merged into
 * it. */
#include <errno.h>
#include <string.h>

#include "runtime/profile/analysis/interp_view.h"
#include "runtime/profile/analysis/selection.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/spool/spool_read.h"
#include "runtime/profile/symbols/frame_kind.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/spool/spool_settings.h"

int profile_tree(struct profile *profile, unsigned counter, enum settings_weight weight,
		 struct frame_tree **tree)
{
	const struct profile_trees *merge = profile_merge(profile);
	bool events = spool_settings_weigh_events(profile_counter(profile, counter), weight);
	struct frame_tree *made = frame_tree_new();
	int err = made ? call_tree_to_frames(merge->calls, &merge->strings, counter, events, made)
		       : -ENOMEM;

	err = frame_tree_end(made, err, tree);
	return err ? err : selection_hide(merge->options.selection, tree);
}

/* Returns the index of the first counter of that kind of time that takes samples; -ENODATA. */
static int find_clock(const struct profile *profile, bool off_cpu)
{
	for (unsigned i = 0; i < profile_counter_count(profile); i++) {
		const struct spool_counter *counter = profile_counter(profile, i);

		if (counter->unit == SPOOL_UNIT_NS && counter->flags & SPOOL_COUNTER_SAMPLES &&
		    !(counter->flags & SPOOL_COUNTER_UNAVAILABLE) &&
		    !(counter->flags & SPOOL_COUNTER_OFF_CPU) == !off_cpu)
			return (int)i;
	}
	return -ENODATA;
}

struct joining {
	struct frame_tree *to;
	const char *side;
};

/* Insert the side after the outermost frame. */
static int add_to_side(void *context, const char **names, size_t depth, uint64_t value)
{
	const struct joining *joining = context;

	memmove(names + 2, names + 1, (depth - 1) * sizeof(*names));
	names[1] = joining->side;
	return frame_tree_add(joining->to, names, depth + 1, value);
}

/* Weighed by events, which are nanoseconds: only these can be added. */
static int add_side(struct profile *profile, bool off_cpu, struct frame_tree *to)
{
	struct joining joining = { to, off_cpu ? FRAME_KIND_OFF_CPU : FRAME_KIND_ON_CPU };
	struct frame_tree *tree;
	int counter = find_clock(profile, off_cpu);
	int err;

	if (counter < 0)
		return counter;
	err = profile_tree(profile, (unsigned)counter, SETTINGS_WEIGHT_EVENTS, &tree);
	if (err)
		return err;
	err = frame_tree_each(tree, add_to_side, &joining);
	frame_tree_free(tree);
	return err;
}

int profile_wall_tree(struct profile *profile, struct frame_tree **tree)
{
	struct frame_tree *made = frame_tree_new();
	int err = made ? add_side(profile, false, made) : -ENOMEM;

	if (!err)
		err = add_side(profile, true, made);
	return frame_tree_end(made, err, tree);
}

struct addition {
	struct profile_trees *merge;
	uint32_t counter;
};

static int add_stack(void *context, const char **path, size_t depth, uint64_t value)
{
	struct profile_trees *merge = ((struct addition *)context)->merge;
	uint32_t counter = ((struct addition *)context)->counter;
	const struct spool_read_weight weight = { value, value };
	struct selection *selection = merge->options.selection;
	uint32_t node = CALL_TREE_ROOT;

	depth = interp_view_names(merge->options.interp, path, depth);
	if (selection && !selection_keeps_path(selection, path, depth))
		return call_tree_add(merge->calls, node, counter, &weight);
	for (size_t i = 0; i < depth && node != CALL_TREE_NONE; i++) {
		uint32_t name = string_table_intern(&merge->strings, path[i], strlen(path[i]));

		node = name ? call_tree_child(merge->calls, node, name) : CALL_TREE_NONE;
	}
	if (node == CALL_TREE_NONE || call_tree_add(merge->calls, node, counter, &weight))
		return -ENOMEM;
	return merge->locations
		       ? locations_add_stack(merge->locations, path, depth, &weight, counter)
		       : 0;
}

int profile_trees_tree(struct profile_trees *merge, struct frame_tree *tree, uint32_t counter)
{
	struct addition addition = { merge, counter };

	if (merge->timeline)
		merge->timeline->partial = true;
	return frame_tree_each(tree, add_stack, &addition);
}
