/*
 * Moves the tree of an ended thread into the one of its name.
 */
#ifndef RUNTIME_SAMPLE_TREE_TREE_MERGE_H
#define RUNTIME_SAMPLE_TREE_TREE_MERGE_H

#include <stdint.h>

#include "runtime/sample/tree/tree.h"

/* A merge between begin and end. */
struct tree_merge {
	struct tree *into;
	struct tree *from;
	uint32_t *map; /* nodes of `into`, by the index of those of `from`; NULL: no memory */
	unsigned per_chunk;
	uint32_t overflow; /* the node of all weights, where there is no map */
};

/* Move all weights of `from` into `into`, node by node.  What does not fit is left in [overflow]
 * nodes; *lost counts samples that fit nowhere.  Context: thread, under the session's lock;
 * likewise the others. */
void tree_merge_begin(struct tree_merge *merge, struct tree *into, struct tree *from,
		      uint64_t *lost);

/* Returns the node of `into` that has the weights of a node of `from`; 0: none. */
uint32_t tree_merge_node(const struct tree_merge *merge, uint32_t node);

/* Give back the chunks of `from`. */
void tree_merge_end(struct tree_merge *merge);

/* Begin and end at once. */
void tree_merge(struct tree *into, struct tree *from, uint64_t *lost);

#endif
