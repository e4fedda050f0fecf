/*
 * The frames of one node of a spool, as nodes of a profile's tree.
 */
#ifndef RUNTIME_FOLD_PROFILE_NODE_FRAMES_H
#define RUNTIME_FOLD_PROFILE_NODE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct call_tree;
struct lines;
struct namer;
struct profile_options;
struct spool_read_node;

struct node_frames {
	struct call_tree *calls;
	struct namer *namer; /* namer_begin was called for the node's spool */
	struct lines *lines; /* the same of lines_begin */
	const struct profile_options *options;
	uint32_t thread; /* the context that a thread's outermost function is called from */
};

/* Add what a node's address stands for below `parent`: with lines and inlined functions it may be
 * several frames, and none for code of ours.  Returns the last one's context; CALL_TREE_NONE when
 * memory is out. */
uint32_t node_frames_add(const struct node_frames *frames, const struct spool_read_node *node,
			 uint32_t parent);

/* The same for an instruction that met watched data: its line whatever the options say, or its
 * place in the function where no line is known.  `after`: the node's address is that of the
 * instruction behind it. */
uint32_t node_frames_add_access(const struct node_frames *frames,
				const struct spool_read_node *node, bool after, uint32_t parent);

#endif
