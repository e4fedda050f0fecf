/*
 * Which stacks are looked at: those with a frame that --focus names, without one that --ignore
 * names.  Both are POSIX extended regular expressions, found anywhere in a frame's name; the
 * command and its threads are frames too.
 */
#ifndef RUNTIME_FOLD_PROFILE_SELECTION_H
#define RUNTIME_FOLD_PROFILE_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

struct frame_tree;
struct selection;

enum selection_rule {
	SELECTION_FOCUS = 1,
	SELECTION_IGNORE = 2,
};

/* Add an expression; the first makes *selection, which is NULL before.  Of several of a rule any
 * may match.  Returns 0; -ENOMEM; or -EINVAL with `line` telling what is wrong with it. */
int selection_add(struct selection **selection, enum selection_rule rule, const char *expression,
		  char *line, size_t bytes);
void selection_free(struct selection *selection);

/* The rules, as bits, whose expressions match a frame's name. */
unsigned selection_match(struct selection *selection, const char *name);

/* True if a stack is looked at whose frames match these rules together. */
bool selection_keeps(const struct selection *selection, unsigned rules);

/* The same for a stack of names. */
bool selection_keeps_path(struct selection *selection, const char *const *names, size_t depth);

/* Add those stacks of `from` to `to` that are looked at; all for a selection of NULL.
 * Returns 0, -ENOMEM or -EOVERFLOW. */
int selection_copy(struct selection *selection, struct frame_tree *from, struct frame_tree *to);

#endif
