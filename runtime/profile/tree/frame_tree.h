/*
 * A tree of named frames, each with a value.  All drawings and outputs are made from it.  Every
 * reader (spools, folded files) fills one; every writer (folded, SVG, tables) walks it.  Siblings
 * are unique by name.  Names are bytes: not necessarily UTF-8, and without NUL.
 */
#ifndef RUNTIME_PROFILE_TREE_FRAME_TREE_H
#define RUNTIME_PROFILE_TREE_FRAME_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_tree;

/* One frame in the tree.  The tree owns it; it is valid until frame_tree_free().  Two names in one
 * tree are equal if their pointers are. */
struct frame {
	const char *name; /* "main", "do_sys_poll_[k]", "[libz.so.1]" */
	uint64_t self;	  /* value of the stacks that end here */
	uint64_t total;	  /* self and all descendants; kept up to date by frame_tree_add() */
	struct frame *parent;
	struct frame *first_child; /* sorted by name after frame_tree_sort() */
	struct frame *next_sibling;
};

/* Make an empty tree: one root without a name.  Returns NULL when memory is out; free with
 * frame_tree_free(). */
struct frame_tree *frame_tree_new(void);
void frame_tree_free(struct frame_tree *tree);

/* Add value to the stack frames[0] (outermost) … frames[depth-1] (leaf).  Names are copied.  A
 * value of 0 adds nothing.  Returns 0; or, with the tree unchanged, -ENOMEM, -EOVERFLOW when the
 * root's total would overflow, -EINVAL for a depth of 0. */
int frame_tree_add(struct frame_tree *tree, const char *const *frames, size_t depth,
		   uint64_t value);

/* Returns the callee of that name of a frame, which stays where it is until frame_tree_free(); it
 * is added without a value if there is none.  NULL when memory is out. */
struct frame *frame_tree_child(struct frame_tree *tree, struct frame *parent, const char *name);

/* Add value to the stack of a frame.  Returns 0; or -EOVERFLOW when the root's total would
 * overflow. */
int frame_tree_give(struct frame_tree *tree, struct frame *frame, uint64_t value);

/* Sort all siblings by name (strcmp()).  Call after the last frame_tree_add(). */
void frame_tree_sort(struct frame_tree *tree);

/* End the making of a tree: sort it and store it in *tree; or free it if `err`, of its making, is
 * not 0.  Returns err. */
int frame_tree_end(struct frame_tree *made, int err, struct frame_tree **tree);

/* Sort all siblings by value instead, largest first.  For outputs that only walk the tree: code
 * that compares two trees needs the order by name. */
void frame_tree_sort_by(struct frame_tree *tree, bool total);

/* Receives a stack of a tree: names[0] (outermost) … names[depth-1] (leaf), an array with
 * room for one more that it may change, and the stack's value.  Returns 0, or -errno to stop the
 * walk. */
typedef int frame_tree_visit(void *context, const char **names, size_t depth, uint64_t value);

/* Call `visit` for each stack that has a value of its own, callers before their callees.  Returns
 * 0, the result of `visit`, or -ENOMEM. */
int frame_tree_each(struct frame_tree *tree, frame_tree_visit *visit, void *context);

/* First member of the context of a visitor that adds to `made`. */
struct frame_tree_remaking {
	struct frame_tree *made;
};

/* Make a new tree of the stacks that `visit` adds to remaking->made.  Returns 0 with *made, sorted,
 * to be freed with frame_tree_free(); or an error like frame_tree_each(). */
int frame_tree_remake(struct frame_tree *tree, frame_tree_visit *visit,
		      struct frame_tree_remaking *remaking, struct frame_tree **made);

/* Like frame_tree_remake(), but in place of *tree, which stays as it is after an error. */
int frame_tree_replace(struct frame_tree **tree, frame_tree_visit *visit,
		       struct frame_tree_remaking *remaking);

/* Reverse each stack, so that leaves come first and their callers follow.  The `kept` outermost
 * frames (command and thread) stay in front.  Returns 0 with another tree in *tree, sorted; or
 * -ENOMEM with the old one. */
int frame_tree_reverse(struct frame_tree **tree, size_t kept);

/* The same for the names of one stack. */
void frame_tree_reverse_names(const char **names, size_t depth, size_t kept);

/* Store the names of a frame's stack, outermost first, in `names`, which has room for
 * frame_tree_depth() of them.  Returns how many; 0 for the root. */
size_t frame_tree_path(const struct frame *frame, const char **names);

struct frame *frame_tree_root(struct frame_tree *tree);

/* Returns the frame after this one, parents before their children; NULL after the last.  From the
 * root this visits every frame once, without recursion. */
struct frame *frame_tree_next(const struct frame *frame);

/* Returns the number of frames of the deepest stack. */
size_t frame_tree_depth(const struct frame_tree *tree);

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
