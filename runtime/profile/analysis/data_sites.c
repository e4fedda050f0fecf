/*
 * Each stack that ends in data is made again without that leaf, and with the row in place of the
 * code.  Stacks that then are equal become one.
 */
#include "runtime/profile/analysis/data_sites.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/symbols/data_frames.h"
#include "runtime/profile/symbols/frame_kind.h"

struct cutting {
	struct frame_tree_remaking remaking;
	size_t outer;
};

/* The kernel's frames between code and data are those of the fault. */
static int add_cut(void *context, const char **names, size_t depth, uint64_t value)
{
	const struct cutting *cutting = context;
	size_t code = depth - 1;
	char *row;
	int err;

	if (!data_frame_is_text(names[depth - 1]))
		return frame_tree_add(cutting->remaking.made, names, depth, value);
	while (code > cutting->outer && frame_kind_is(names[code - 1], FRAME_KIND_KERNEL))
		code--;
	if (code <= cutting->outer)
		return frame_tree_add(cutting->remaking.made, names, depth, value);
	if (asprintf(&row, "%s %s", names[depth - 1], names[code - 1]) < 0)
		return -ENOMEM;
	names[code] = row;
	err = frame_tree_add(cutting->remaking.made, names, code + 1, value);
	free(row);
	return err;
}

int data_sites_cut(struct frame_tree **tree, size_t outer)
{
	struct cutting cutting = { .outer = outer };

	return frame_tree_replace(tree, add_cut, &cutting.remaking);
}
