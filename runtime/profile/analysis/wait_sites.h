/*
 * Time off the CPU as a table lists it.  All of it is spent in the kernel's scheduler, and most of
 * it below a few functions of the C library, so the leaves of the stacks do not distinguish
 * anything.  Instead, a row is the function that waits, followed by the calls that it waits in:
 * "read_request -> __poll -> do_sys_poll_[k]".
 */
#ifndef RUNTIME_PROFILE_ANALYSIS_WAIT_SITES_H
#define RUNTIME_PROFILE_ANALYSIS_WAIT_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frame_tree;
struct namer;
struct spool_read_node;
struct string_table;

/* Records which names are functions of the C library or of an interpreter. */
struct wait_sites;

/* `strings` and `namer` must outlive the result.  Returns NULL when memory is out.  Free with
 * wait_sites_free(). */
struct wait_sites *wait_sites_new(struct string_table *strings, struct namer *namer);
void wait_sites_free(struct wait_sites *waits);

/* Record where a name comes from: the frame of a node of the namer's current spool, whose code is
 * an interpreter's if `interprets`.  Only the first record of a name counts.  Returns 0 or -ENOMEM.
 */
int wait_sites_note(struct wait_sites *waits, uint32_t name, const struct spool_read_node *node,
		    bool interprets);

/* Cut stacks at the functions that wait; the `outer` outermost frames (command, thread) are no
 * functions.  `behind` adds a last frame with the call that they wait in.  [preempted] stays,
 * because it is no wait.  Returns 0 with another tree in *tree, sorted; or -ENOMEM with the old
 * one. */
int wait_sites_cut(const struct wait_sites *waits, struct frame_tree **tree, size_t outer,
		   bool behind);

/* Make the row of one stack, of at least one frame.  *function is set to the index of the frame
 * that waits; the leaf's, with its name, where the stack has no function or was [preempted].
 * Returns 0 with *text, to be freed; or -ENOMEM. */
int wait_sites_label(const struct wait_sites *waits, const char *const *names, size_t depth,
		     size_t outer, size_t *function, char **text);

#endif
