/*
 * One function in a tree of stacks: who called it, and what it called.
 */
#ifndef RUNTIME_FOLD_REPORT_CALLERS_H
#define RUNTIME_FOLD_REPORT_CALLERS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct frame_tree;

/* A caller or a callee. */
struct callers_function {
	const char *name; /* the tree's; valid until it changes */
	uint64_t value;
};

/* Each stack with the function on it counts once: for the caller of its outermost frame of the
 * function, and for what its innermost frame of the function called.  So the callers add up to
 * total, and self and the callees do too. */
struct callers {
	uint64_t self;
	uint64_t total;
	struct callers_function
		*callers; /* most first; a command that runs the function itself is one */
	size_t caller_count;
	struct callers_function *callees; /* most first */
	size_t callee_count;
};

/* Find the functions whose name is `name`, or that a pattern as of glob.h matches; several are
 * taken for one.  Returns 0 with *found to be freed by callers_free; -ENOENT if no
 * function has the name; or -ENOMEM. */
int callers_find(struct frame_tree *tree, const char *name, struct callers *found);
void callers_free(struct callers *found);

/* Callers above, callees below, each with its share of the function's total.  `unit` is what a
 * value counts; of either at most `rows` are shown, all for 0; names that do not fit into
 * `columns` are cut, none for 0. */
void callers_print(const struct callers *found, const char *name, const char *unit, unsigned rows,
		   unsigned columns, FILE *file);

#endif
