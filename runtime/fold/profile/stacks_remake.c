/*
 * Trees of stacks made of other ones, stack by stack.
 */
#include <errno.h>
#include <stdlib.h>

#include "runtime/fold/profile/stacks.h"

int stacks_each(struct stacks *stacks, stacks_visit *visit, void *context)
{
	const char **names = calloc(stacks_depth(stacks) + 1, sizeof(*names));
	int err = names ? 0 : -ENOMEM;

	for (struct stacks_frame *frame = stacks_root(stacks); frame && !err;
	     frame = stacks_next(frame)) {
		size_t depth = frame->self ? stacks_path(frame, names) : 0;

		if (depth)
			err = visit(context, names, depth, frame->self);
	}
	free(names);
	return err;
}

int stacks_remake(struct stacks *stacks, stacks_visit *visit, struct stacks_remaking *remaking,
		  struct stacks **made)
{
	int err;

	remaking->made = stacks_new();
	err = remaking->made ? stacks_each(stacks, visit, remaking) : -ENOMEM;
	if (err) {
		stacks_free(remaking->made);
		return err;
	}
	stacks_sort(remaking->made);
	*made = remaking->made;
	return 0;
}

struct reversal {
	struct stacks_remaking remaking;
	size_t kept;
};

static int add_reversed(void *context, const char **names, size_t depth, uint64_t value)
{
	struct reversal *reversal = context;

	for (size_t i = reversal->kept, k = depth; i + 1 < k; i++) {
		const char *name = names[i];

		names[i] = names[--k];
		names[k] = name;
	}
	return stacks_add(reversal->remaking.made, names, depth, value);
}

int stacks_reverse(struct stacks *stacks, size_t kept, struct stacks **reversed)
{
	struct reversal reversal = { .kept = kept };

	return stacks_remake(stacks, add_reversed, &reversal.remaking, reversed);
}
