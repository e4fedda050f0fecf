/*
 * Time off the processor as a table lists it.  All of it is spent in the kernel's scheduler, and
 * most of it below a few functions of the C library, so the leaves of the stacks tell nothing
 * apart.  A row is the function that waits instead, with the calls that it waits in behind it:
 * "read_request -> __poll -> do_sys_poll_[k]".
 */
#ifndef RUNTIME_FOLD_PROFILE_WAIT_SITES_H
#define RUNTIME_FOLD_PROFILE_WAIT_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_tree;
struct namer;
struct spool_read_node;
struct string_table;

/* Which names are of functions of the C library. */
struct wait_sites;

/* `strings` and `namer` must outlive it.  NULL when memory is out.  Free with wait_sites_free. */
struct wait_sites *wait_sites_new(struct string_table *strings, struct namer *namer);
void wait_sites_free(struct wait_sites *waits);

/* Remember where a name comes from: the frame of a node of the namer's current spool.  The first
 * note of a name holds.  Returns 0 or -ENOMEM. */
int wait_sites_note(struct wait_sites *waits, uint32_t name, const struct spool_read_node *node);

/* Cut stacks short at the functions that wait; `outer` frames (command, thread) are no functions.
 * `behind`: a last frame says what they wait in.  [preempted] stays, for it is no wait.
 * Returns 0 with *cut, sorted, to be freed by frame_tree_free; or -ENOMEM. */
int wait_sites_cut(const struct wait_sites *waits, struct frame_tree *tree, size_t outer,
		   bool behind, struct frame_tree **cut);

#endif
