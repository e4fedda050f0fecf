/*
 * Makes the frames of one node of a spool, as nodes of a profile's tree.
 */
#ifndef RUNTIME_PROFILE_TREE_NODE_FRAMES_H
#define RUNTIME_PROFILE_TREE_NODE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct call_tree;
struct lines;
struct namer;
struct profile_options;
struct spool_read_node;

struct node_frames {
	struct call_tree *calls;
	struct namer *namer; /* namer_begin() was called for the node's spool */
	struct lines *lines; /* lines_begin() was called for it */
	const struct profile_options *options;
	uint32_t thread; /* the node that a thread's outermost function is called from */
};

/* Add the frames of a node's address below `parent`: several with lines and inlined functions, none
 * for our own code.  Returns the node of the last frame; CALL_TREE_NONE when memory is out. */
uint32_t node_frames_add(const struct node_frames *frames, const struct spool_read_node *node,
			 uint32_t parent);

/* Like node_frames_add(), for an instruction that accessed watched data: always with its line, or
 * with its offset in the function if no line is known.  `after`: the node's address is that of the
 * next instruction. */
uint32_t node_frames_add_access(const struct node_frames *frames,
				const struct spool_read_node *node, bool after, uint32_t parent);

#endif
