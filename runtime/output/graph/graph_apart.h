/*
 * Marks time off the CPU as a separate kind in a flame graph, whatever the names of its frames are.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_GRAPH_APART_H
#define RUNTIME_OUTPUT_GRAPH_GRAPH_APART_H

struct frame_tree;

/* Copy sorted stacks and add FRAME_KIND_WAITING_SUFFIX to every name below a frame [off-CPU] that
 * has no kind of its own.  Returns 0 with *apart, to be freed with frame_tree_free(); 0 with NULL
 * if there is no such frame; or -ENOMEM. */
int graph_apart(struct frame_tree *tree, struct frame_tree **apart);

#endif
