/* The trees into which all stacks of a profile are merged: by name, and on request by address. */
#ifndef RUNTIME_PROFILE_MERGE_PROFILE_TREES_H
#define RUNTIME_PROFILE_MERGE_PROFILE_TREES_H

#include <stdint.h>

#include "runtime/profile/base/string_table.h"
#include "runtime/profile/tree/profile_options.h"
#include "runtime/profile/time/timeline.h"

struct frame_tree;
struct spool_read;

struct profile_trees {
	struct profile_options options;
	struct string_table strings;
	struct machine *machine; /* NULL: use the options' */
	struct namer *namer;
	struct call_tree *calls;
	struct truncations *truncations;
	struct lines *lines;
	struct locations *locations;  /* NULL: not requested */
	struct wait_sites *waits;     /* NULL: not requested */
	struct missing_symbols *gaps; /* NULL: not requested */
	struct timeline *timeline;    /* NULL: not requested */
	struct timeline_axis axis;    /* of the spools in the timeline, and in the window */
	uint8_t *rules; /* by node: rules of options.selection that match there or above */
	uint32_t ruled; /* number of nodes with known rules */
};

/* Returns 0, or -ENOMEM with nothing left to close. */
int profile_trees_open(struct profile_trees *merge, const struct profile_options *options);
void profile_trees_close(struct profile_trees *merge);

/* Add the stacks of a spool, which was read with its logs if the timeline is requested.  `counter`
 * maps the spool's counters to the profile's numbers.  Returns 0 or -ENOMEM. */
int profile_trees_spool(struct profile_trees *merge, const struct spool_read *spool,
			const uint32_t *counter);

/* Add stacks that already have names, the command's name first, to a counter.  Returns 0 or
 * -ENOMEM. */
int profile_trees_tree(struct profile_trees *merge, struct frame_tree *tree, uint32_t counter);

#endif
