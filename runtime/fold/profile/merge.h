/*
 * The trees that all stacks of a profile are merged into: by name, and if asked for by address.
 */
#ifndef RUNTIME_FOLD_PROFILE_MERGE_H
#define RUNTIME_FOLD_PROFILE_MERGE_H

#include <stdint.h>

#include "runtime/fold/profile/profile_options.h"

struct call_tree;
struct frame_tree;
struct gaps;
struct lines;
struct locations;
struct machine;
struct namer;
struct spool_read;
struct string_table;
struct truncations;
struct wait_sites;

struct merge {
	struct profile_options options;
	struct string_table *strings;
	struct machine *machine; /* NULL: the options' */
	struct namer *namer;
	struct call_tree *calls;
	struct truncations *truncations;
	struct lines *lines;
	struct locations *locations; /* NULL: not asked for */
	struct wait_sites *waits;    /* the same */
	struct gaps *gaps;	     /* the same */
	uint8_t *rules; /* by context: what options.selection matched there and above */
	uint32_t ruled; /* contexts for which that is known */
};

/* Returns 0, or -ENOMEM with nothing left to close. */
int merge_open(struct merge *merge, const struct profile_options *options);
void merge_close(struct merge *merge);

/* Add the stacks of a spool, whose counters the profile knows by the numbers in `counter`.
 * Returns 0 or -ENOMEM. */
int merge_spool(struct merge *merge, const struct spool_read *spool, const uint32_t *counter);

/* Add stacks that have names already, the command's first, to a counter.
 * Returns 0 or -ENOMEM. */
int merge_tree(struct merge *merge, struct frame_tree *tree, uint32_t counter);

#endif
