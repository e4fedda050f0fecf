/*
 * Selects stacks: those with a frame that --focus matches, without one that --ignore matches; and
 * of these the frames that --hide does not match.  All are POSIX extended regular expressions,
 * which match anywhere in a frame's name.  The command and its threads are frames too.
 */
#ifndef RUNTIME_PROFILE_ANALYSIS_SELECTION_H
#define RUNTIME_PROFILE_ANALYSIS_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

struct frame_tree;
struct selection;

enum selection_rule {
	SELECTION_FOCUS = 1,
	SELECTION_IGNORE = 2,
	SELECTION_HIDE = 4,
};

/* Add an expression; the first call makes *selection, which is NULL before.  Of several expressions
 * of a rule any may match.  Returns 0; -ENOMEM; or -EINVAL with the fault in `line`. */
int selection_add(struct selection **selection, enum selection_rule rule, const char *expression,
		  char *line, size_t bytes);
void selection_free(struct selection *selection);

/* Returns true if it leaves stacks out, not only frames. */
bool selection_filters(const struct selection *selection);

/* Returns the rules, as bits, whose expressions match a frame's name. */
unsigned selection_match(struct selection *selection, const char *name);

/* Returns true if a stack is selected whose frames together match these rules. */
bool selection_keeps(const struct selection *selection, unsigned rules);

/* Like selection_keeps(), for a stack of names. */
bool selection_keeps_path(struct selection *selection, const char *const *names, size_t depth);

/* Leave the hidden frames out of each stack; the command stays.  Does nothing without an expression
 * of that rule, or if `selection` is NULL.  Returns 0 with another tree in *tree, sorted; or an
 * error of frame_tree_replace(), with *tree freed. */
int selection_hide(struct selection *selection, struct frame_tree **tree);

/* Add the selected stacks of `from` to `to`, without hidden frames; all of them if `selection` is
 * NULL.  `interp` is profile_options.interp, by which frames are left out before.  Returns 0,
 * -ENOMEM or -EOVERFLOW. */
int selection_copy(struct selection *selection, unsigned interp, struct frame_tree *from,
		   struct frame_tree *to);

#endif
