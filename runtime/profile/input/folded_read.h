/* Reads folded stacks, "command;outermost;…;leaf COUNT" lines, and identifies files that are given
 * in place of them. */
#ifndef RUNTIME_PROFILE_INPUT_FOLDED_READ_H
#define RUNTIME_PROFILE_INPUT_FOLDED_READ_H

#include <stddef.h>
#include <stdio.h>

struct frame_tree;

/* Read folded lines and add them to a tree.  `name` is the file's name, for messages.  A malformed
 * line is skipped; *skipped is set to the number of such lines, and `line` describes the first
 * ("FILE:NUMBER: what is wrong") or is empty.  A count with a fraction is rounded; empty lines and
 * Windows line ends are accepted.  Returns 0, or -errno if the reading itself failed. */
int folded_read(struct frame_tree *tree, FILE *file, const char *name, size_t *skipped, char *line,
		size_t bytes);

/* Read the first bytes of a regular file that is open as fd.  Returns 0 if it may be a folded file;
 * or -EINVAL with `line` saying what it is and what to use instead.  Context: any. */
int file_kind_check(const char *path, int fd, char *line, size_t bytes);

#endif
