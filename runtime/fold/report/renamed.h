/*
 * A program that was renamed: different names of two builds must not make all their stacks
 * different.
 */
#ifndef RUNTIME_FOLD_REPORT_RENAMED_H
#define RUNTIME_FOLD_REPORT_RENAMED_H

#include <stdbool.h>
#include <stddef.h>

struct frame_tree;

/* Find the commands with the largest totals among those that only one of two profiles has; the
 * trees own the texts.  Returns false if one of the profiles has no such command. */
bool renamed_find(struct frame_tree *before, struct frame_tree *after, const char **old,
		  const char **new_name);

/* Rename a command, and the frames of unknown code that are named after it.  `outer`: the number of
 * frames for command, process and thread; `modules`: frames are modules.  Returns 0 with another
 * tree in *tree, sorted; or -ENOMEM with the old one. */
int renamed_apply(struct frame_tree **tree, const char *old, const char *new_name, size_t outer,
		  bool modules);

#endif
