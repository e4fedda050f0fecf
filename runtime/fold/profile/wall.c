/*
 * Both counters are weighed by their events, which are nanoseconds: only these can be added.
 */
#include "runtime/fold/profile/wall.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/profile/profile.h"
#include "runtime/fold/symbols/frame_kind.h"

/* Returns the index of the first counter of that kind of time that takes samples; -ENODATA. */
static int find(const struct profile *profile, bool off_cpu)
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

/* Lists the frames of a stack with `side` inserted after the outermost.  Returns how many. */
static size_t path_of(const struct frame *leaf, const char *side, const char **frames)
{
	size_t depth = 0;

	for (const struct frame *frame = leaf; frame->parent; frame = frame->parent)
		depth++;
	for (size_t at = depth; at > 0; at--, leaf = leaf->parent)
		frames[at == 1 ? 0 : at] = leaf->name;
	frames[1] = side;
	return depth + 1;
}

static int add_tree(struct frame_tree *tree, const char *side, struct frame_tree *to)
{
	const char **frames = calloc(frame_tree_depth(tree) + 1, sizeof(*frames));
	int err = frames ? 0 : -ENOMEM;

	for (struct frame *frame = frame_tree_root(tree); !err && frame;
	     frame = frame_tree_next(frame))
		if (frame->self && frame->parent)
			err = frame_tree_add(to, frames, path_of(frame, side, frames), frame->self);
	free(frames);
	return err;
}

static int add_side(struct profile *profile, bool off_cpu, struct frame_tree *to)
{
	struct frame_tree *tree;
	int counter = find(profile, off_cpu);
	int err;

	if (counter < 0)
		return counter;
	err = profile_tree(profile, (unsigned)counter, SETTINGS_WEIGHT_EVENTS, &tree);
	if (err)
		return err;
	err = add_tree(tree, off_cpu ? FRAME_KIND_OFF_CPU : FRAME_KIND_ON_CPU, to);
	frame_tree_free(tree);
	return err;
}

int wall_tree(struct profile *profile, struct frame_tree **tree)
{
	struct frame_tree *made = frame_tree_new();
	int err;

	if (!made)
		return -ENOMEM;
	err = add_side(profile, false, made);
	if (!err)
		err = add_side(profile, true, made);
	if (err) {
		frame_tree_free(made);
		return err;
	}
	frame_tree_sort(made);
	*tree = made;
	return 0;
}
