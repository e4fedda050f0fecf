/*
 * A program under another name: what two builds of it are called must not make every stack of
 * theirs differ.
 */
#ifndef RUNTIME_FOLD_REPORT_RENAMED_H
#define RUNTIME_FOLD_REPORT_RENAMED_H

#include <stdbool.h>
#include <stddef.h>

struct frame_tree;

/* The commands with the largest totals among those that only one of two profiles has; their texts
 * are the trees'.  False if one of the profiles has none. */
bool renamed_find(struct frame_tree *before, struct frame_tree *after, const char **old,
		  const char **new_name);

/* Give a command, and the frames of unknown code named after it, another name.  `outer`: how many
 * frames stand for command, process and thread; `modules`: frames are modules.
 * Returns 0 with *tree another tree, sorted; or -ENOMEM with the old one. */
int renamed_apply(struct frame_tree **tree, const char *old, const char *new_name, size_t outer,
		  bool modules);

#endif
