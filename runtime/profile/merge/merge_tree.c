/* Merges stacks that have names and nothing else: those of folded files. */
#include <errno.h>
#include <string.h>

#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/analysis/interp_view.h"
#include "runtime/profile/tree/locations.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/analysis/selection.h"
#include "runtime/profile/spool/spool_read.h"

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
