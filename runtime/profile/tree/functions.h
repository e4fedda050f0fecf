/* Functions of a tree of stacks, each with its self value and its total value. */
#ifndef RUNTIME_PROFILE_TREE_FUNCTIONS_H
#define RUNTIME_PROFILE_TREE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_tree;

struct function {
	const char *name; /* owned by the tree; valid until the tree changes */
	uint64_t self;
	uint64_t total; /* a stack counts once, however often it holds the function */
};

/* List all functions, largest self value first, or largest total first if `by_total`.  The `outer`
 * outermost frames (1: commands; more: processes and threads) are left out.  Returns 0 with *list,
 * to be freed with free(); or -ENOMEM. */
int functions_list(struct frame_tree *tree, size_t outer, bool by_total, struct function **list,
		   size_t *count);

#endif
