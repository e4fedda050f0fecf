/*
 * Folded stacks: "command;outermost;…;leaf COUNT" lines, sorted, summed.
 */
#ifndef RUNTIME_FOLD_FORMATS_FOLDED_H
#define RUNTIME_FOLD_FORMATS_FOLDED_H

#include <stddef.h>
#include <stdio.h>

struct frame_tree;

/* Write sorted stacks, one line each, ordered frame by frame.  In a name ';' becomes ':' and a line
 * end becomes a space.  Returns 0, -EIO or -ENOMEM. */
int folded_write(struct frame_tree *tree, FILE *file);

/* Read folded lines and add them to a tree.  `name` is the file's name, for messages.  A malformed
 * line is skipped; *skipped is set to the number of such lines, and `line` describes the first
 * ("FILE:NUMBER: what is wrong") or is empty.  A count with a fraction is rounded; empty lines and
 * Windows line ends are accepted.  Returns 0, or -errno if the reading itself failed. */
int folded_read(struct frame_tree *tree, FILE *file, const char *name, size_t *skipped, char *line,
		size_t bytes);

#endif
