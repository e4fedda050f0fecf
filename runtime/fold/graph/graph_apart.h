/*
 * Time off the processor in a flame graph is a kind of its own, whatever its frames' names.
 */
#ifndef RUNTIME_FOLD_GRAPH_GRAPH_APART_H
#define RUNTIME_FOLD_GRAPH_GRAPH_APART_H

struct frame_tree;

/* Copy sorted stacks with FRAME_KIND_WAITING_SUFFIX on every name below a frame [off-CPU] that
 * tells no kind by itself.  Returns 0 with *apart to be freed by frame_tree_free; 0 with NULL if
 * there is no such frame; or -ENOMEM. */
int graph_apart(struct frame_tree *tree, struct frame_tree **apart);

#endif
