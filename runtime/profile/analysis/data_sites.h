/*
 * Accesses to data as a table lists them.  The leaves of their stacks are the data, so a table of
 * leaves says nothing of the code.  Instead, a row is the code, with the data before it:
 * "[heap] fill_table", "[data account+0x10] credit:bank.c:17".
 */
#ifndef RUNTIME_PROFILE_ANALYSIS_DATA_SITES_H
#define RUNTIME_PROFILE_ANALYSIS_DATA_SITES_H

#include <stddef.h>

struct frame_tree;

/* Make such rows of the stacks that end in data; the `outer` outermost frames (command, thread) are
 * no code.  Returns 0 with another tree in *tree, sorted; or -ENOMEM with the old one. */
int data_sites_cut(struct frame_tree **tree, size_t outer);

#endif
