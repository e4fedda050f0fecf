/*
 * A tree of stacks with each stack turned round, made as a new tree.
 */
#include <errno.h>
#include <stdlib.h>

#include "runtime/fold/stacks.h"

int stacks_reverse(struct stacks *stacks, size_t kept, struct stacks **reversed)
{
	const char **names = calloc(stacks_depth(stacks) + 1, sizeof(*names));
	struct stacks *made = stacks_new();
	int err = names && made ? 0 : -ENOMEM;

	for (struct stacks_frame *frame = stacks_root(stacks); frame && !err;
	     frame = stacks_next(frame)) {
		size_t depth = frame->self ? stacks_path(frame, names) : 0;

		for (size_t i = kept, k = depth; i + 1 < k; i++) {
			const char *name = names[i];

			names[i] = names[--k];
			names[k] = name;
		}
		if (depth)
			err = stacks_add(made, names, depth, frame->self);
	}
	free(names);
	if (err) {
		stacks_free(made);
		return err;
	}
	stacks_sort(made);
	*reversed = made;
	return 0;
}
