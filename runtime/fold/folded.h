/*
 * Folded stacks: "command;outermost;…;leaf COUNT" lines, sorted, summed.
 */
#ifndef RUNTIME_FOLD_FOLDED_H
#define RUNTIME_FOLD_FOLDED_H

#include <stddef.h>
#include <stdio.h>

struct stacks;

/* Write sorted stacks, one line each.  Returns 0 or -EIO. */
int folded_write(struct stacks *stacks, FILE *file);

/* Read folded lines and add them to stacks.  `name` is the file's, for messages.  A line that
 * cannot be read is skipped and counted in *skipped; `line` then describes the first (file,
 * line number, what is wrong).  Returns 0, or -errno when reading itself failed. */
int folded_read(struct stacks *stacks, FILE *file, const char *name, size_t *skipped, char *line,
		size_t bytes);

#endif
