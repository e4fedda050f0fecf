/*
 * The call tree of all spools.  A node is a frame's name (a string_table number) below its caller's
 * node, with two weights for each counter.
 */
#ifndef RUNTIME_PROFILE_TREE_CALL_TREE_H
#define RUNTIME_PROFILE_TREE_CALL_TREE_H

#include <stdint.h>

#include "runtime/profile/spool/spool_read.h"

#define CALL_TREE_ROOT 0 /* has no name */
#define CALL_TREE_NONE UINT32_MAX
/* Limit of frames in one stack: SETTINGS_DEPTH_MAX user frames, the kernel's, command and
 * thread. */
#define CALL_TREE_DEPTH_MAX 4608

struct string_table;
struct frame_tree;
struct call_tree;

/* Returns NULL when memory is out.  Free with call_tree_free(). */
struct call_tree *call_tree_new(void);
void call_tree_free(struct call_tree *calls);

/* Returns the child of a node with the given name; it is made if it is new.  CALL_TREE_NONE when
 * memory is out.  The depth is limited to CALL_TREE_DEPTH_MAX frames: then the parent is
 * returned. */
uint32_t call_tree_child(struct call_tree *calls, uint32_t parent, uint32_t name);

/* Add to the weight of a counter at a node; sums saturate at UINT64_MAX. Returns 0 or -ENOMEM. */
int call_tree_add(struct call_tree *calls, uint32_t node, uint32_t counter,
		  const struct spool_read_weight *weight);

/* Returns how many nodes there are, with the root.  They are numbered from 0, parents before their
 * children. */
uint32_t call_tree_count(const struct call_tree *calls);

/* A node's caller, its name, and the number of frames of its stack. */
struct call_tree_node {
	uint32_t parent;
	uint32_t name;
	uint32_t depth;
};

struct call_tree_node call_tree_node(const struct call_tree *calls, uint32_t node);

struct spool_read_weight call_tree_weight(const struct call_tree *calls, uint32_t node,
					  uint32_t counter);

/* Returns the sum of a counter's weights over all nodes. */
struct spool_read_weight call_tree_sum(const struct call_tree *calls, uint32_t counter);

/* Add all stacks that have a weight of a counter to `tree`, weighted by samples or by events.
 * Returns 0 or the result of frame_tree_add(). */
int call_tree_to_frames(const struct call_tree *calls, const struct string_table *strings,
			uint32_t counter, bool events, struct frame_tree *tree);

#endif
