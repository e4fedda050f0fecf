/* Makes stacks from a text of folded stacks, for tests. */
#ifndef TESTS_UNIT_FOLDED_TEXT_H
#define TESTS_UNIT_FOLDED_TEXT_H

#include <stddef.h>

#include "runtime/compare/runs.h"

/* Sorted; the caller frees them with frame_tree_free.  A line that cannot be read aborts. */
struct frame_tree *folded_text_tree(const char *folded);

/* Add a run of such stacks, in which a sample weighs 1.  A failure ends the case. */
void folded_text_add(struct runs *runs, enum runs_side side, const char *folded);

/* Write stacks as folded text, to written.h's file. */
void folded_text_write(struct frame_tree *tree);

/* The stacks of a side's run are these.  A failure ends the case. */
void folded_text_is(const struct runs *runs, enum runs_side side, size_t run, const char *expected);

/* Returns the number of stacks with a value of their own. */
size_t folded_text_stacks(struct frame_tree *tree);

#endif
