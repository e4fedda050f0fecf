/*
 * A tree of named frames, each with a value: what is drawn and written.
 * Every reader (spools, folded files) fills one; every writer (folded, SVG, tables) walks it.
 * Siblings are unique by name.  Names are bytes: not necessarily UTF-8, never NUL inside.
 */
#ifndef RUNTIME_FOLD_PROFILE_STACKS_H
#define RUNTIME_FOLD_PROFILE_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stacks;

/* One frame in the tree; owned by it, valid until the next stacks_add or stacks_free. */
struct stacks_frame {
	const char *name; /* "main", "do_sys_poll_[k]", "[libz.so.1]" */
	uint64_t self;	  /* value of the stacks that end here */
	uint64_t total;	  /* self and all below; kept up to date by stacks_add */
	struct stacks_frame *parent;
	struct stacks_frame *first_child; /* sorted by name once stacks_sort was called */
	struct stacks_frame *next_sibling;
};

/* Make an empty tree: one nameless root.  NULL when memory is out; free with stacks_free. */
struct stacks *stacks_new(void);
void stacks_free(struct stacks *stacks);

/* Add value to the stack frames[0] (outermost) … frames[depth-1] (leaf).  Names are copied.
 * A value of 0 adds nothing.  Returns 0; or, with the tree unchanged, -ENOMEM, -EOVERFLOW when
 * the root's total would not fit, -EINVAL for a depth of 0. */
int stacks_add(struct stacks *stacks, const char *const *frames, size_t depth, uint64_t value);

/* Order all siblings by name (strcmp).  Call after the last stacks_add. */
void stacks_sort(struct stacks *stacks);

/* Order all siblings by their values instead, largest first: for outputs that only walk the tree,
 * since all that compares two trees needs the order of names. */
void stacks_sort_by(struct stacks *stacks, bool total);

/* Is shown a stack of a tree: names[0] (outermost) … names[depth-1] (leaf), which it may change,
 * and its value.  Returns 0, or -errno to end there. */
typedef int stacks_visit(void *context, const char **names, size_t depth, uint64_t value);

/* Show each stack that has a value of its own, callers before what they call.
 * Returns 0, what `visit` returned, or -ENOMEM. */
int stacks_each(struct stacks *stacks, stacks_visit *visit, void *context);

/* The start of the context of a visitor that adds to `made`. */
struct stacks_remaking {
	struct stacks *made;
};

/* A new tree of what `visit` adds to remaking->made.
 * Returns 0 with *made, sorted, to be freed by stacks_free; or as stacks_each. */
int stacks_remake(struct stacks *stacks, stacks_visit *visit, struct stacks_remaking *remaking,
		  struct stacks **made);

/* The same values with each stack turned round, so that leaves come first: who was called, by
 * whom.  The `kept` outermost frames (command and thread) stay in front.
 * Returns 0 with *reversed, sorted, to be freed by stacks_free; or -ENOMEM. */
int stacks_reverse(struct stacks *stacks, size_t kept, struct stacks **reversed);

/* The names of a frame's stack, outermost first, into `names`, which has room for stacks_depth.
 * Returns how many; 0 for the root. */
size_t stacks_path(const struct stacks_frame *frame, const char **names);

struct stacks_frame *stacks_root(struct stacks *stacks);

/* The frame after this one, parents before their children; NULL after the last.  Starting at
 * the root this visits every frame once, without recursion. */
struct stacks_frame *stacks_next(const struct stacks_frame *frame);

/* Number of stacks with a value of their own, and the deepest one's number of frames. */
size_t stacks_count(const struct stacks *stacks);
size_t stacks_depth(const struct stacks *stacks);

#endif
