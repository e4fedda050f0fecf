/*
 * Folded stacks: "command;outermost;…;leaf COUNT" lines, sorted, summed.
 */
#ifndef RUNTIME_OUTPUT_FORMATS_FOLDED_H
#define RUNTIME_OUTPUT_FORMATS_FOLDED_H

#include <stddef.h>
#include <stdio.h>

struct frame_tree;

/* Write sorted stacks, one line each, ordered frame by frame.  In a name ';' becomes ':' and a line
 * end becomes a space.  Returns 0, -EIO or -ENOMEM. */
int folded_write(struct frame_tree *tree, FILE *file);

#endif
