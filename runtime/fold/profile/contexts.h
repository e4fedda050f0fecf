/*
 * Calling contexts of all spools in one tree: a node is a frame's name (a string_table number)
 * below its caller's node, with two weights for each counter.
 */
#ifndef RUNTIME_FOLD_PROFILE_CONTEXTS_H
#define RUNTIME_FOLD_PROFILE_CONTEXTS_H

#include <stdint.h>

#include "runtime/fold/spool/spool_read.h"

#define CONTEXTS_ROOT 0 /* nameless */
#define CONTEXTS_NONE UINT32_MAX
/* Frames in one stack: SETTINGS_DEPTH_MAX of the user's, the kernel's, command and thread. */
#define CONTEXTS_DEPTH_MAX 4608

struct string_table;
struct stacks;
struct contexts;

/* NULL when memory is out.  Free with contexts_free. */
struct contexts *contexts_new(void);
void contexts_free(struct contexts *contexts);

/* The node of a name below a node; made if it is new.  CONTEXTS_NONE when memory is out.
 * Below CONTEXTS_DEPTH_MAX frames there are no more: the parent is returned. */
uint32_t contexts_child(struct contexts *contexts, uint32_t parent, uint32_t name);

/* Add to the weight of a counter at a node; sums stay at UINT64_MAX rather than wrap.
 * Returns 0 or -ENOMEM. */
int contexts_add(struct contexts *contexts, uint32_t node, uint32_t counter,
		 const struct spool_read_weight *weight);

/* How many nodes there are, the root among them: they are numbered from 0, parents before
 * their children. */
uint32_t contexts_count(const struct contexts *contexts);

/* A node's caller, its name, and how many frames its stack has. */
uint32_t contexts_parent(const struct contexts *contexts, uint32_t node);
uint32_t contexts_name(const struct contexts *contexts, uint32_t node);
uint32_t contexts_depth(const struct contexts *contexts, uint32_t node);

struct spool_read_weight contexts_weight(const struct contexts *contexts, uint32_t node,
					 uint32_t counter);

/* The sum of a counter's weights over all nodes. */
struct spool_read_weight contexts_sum(const struct contexts *contexts, uint32_t counter);

/* Add all stacks that have a weight of a counter to `stacks`: samples, or else events.
 * Returns 0 or what stacks_add returns. */
int contexts_stacks(const struct contexts *contexts, const struct string_table *strings,
		    uint32_t counter, bool events, struct stacks *stacks);

#endif
