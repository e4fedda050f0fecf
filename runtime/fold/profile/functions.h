/*
 * Functions of a tree of stacks: how much each has of its own, and with all it called.
 */
#ifndef RUNTIME_FOLD_PROFILE_FUNCTIONS_H
#define RUNTIME_FOLD_PROFILE_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_tree;

struct function {
	const char *name; /* the tree's; valid until it changes */
	uint64_t self;
	uint64_t total; /* a stack counts once, however often the function is on it */
};

/* All functions, most of its own first, or largest total if `by_total`; the outermost frames
 * (commands) are left out. Returns 0 with *list to be freed by free(); or -ENOMEM. */
int functions_list(struct frame_tree *tree, bool by_total, struct function **list, size_t *count);

#endif
