/* Both counters are weighed by their events, which are nanoseconds: only these can be added. */
#include "runtime/profile/merge/wall.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/symbols/frame_kind.h"

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

struct joining {
	struct frame_tree *to;
	const char *side;
};

/* Insert the side after the outermost frame. */
static int add_stack(void *context, const char **names, size_t depth, uint64_t value)
{
	const struct joining *joining = context;

	memmove(names + 2, names + 1, (depth - 1) * sizeof(*names));
	names[1] = joining->side;
	return frame_tree_add(joining->to, names, depth + 1, value);
}

static int add_side(struct profile *profile, bool off_cpu, struct frame_tree *to)
{
	struct joining joining = { to, off_cpu ? FRAME_KIND_OFF_CPU : FRAME_KIND_ON_CPU };
	struct frame_tree *tree;
	int counter = find(profile, off_cpu);
	int err;

	if (counter < 0)
		return counter;
	err = profile_tree(profile, (unsigned)counter, SETTINGS_WEIGHT_EVENTS, &tree);
	if (err)
		return err;
	err = frame_tree_each(tree, add_stack, &joining);
	frame_tree_free(tree);
	return err;
}

int wall_tree(struct profile *profile, struct frame_tree **tree)
{
	struct frame_tree *made = frame_tree_new();
	int err = made ? add_side(profile, false, made) : -ENOMEM;

	if (!err)
		err = add_side(profile, true, made);
	return frame_tree_end(made, err, tree);
}
