/*
 * All counters of a profile with their texts and ratios, for formats that can hold more than one.
 */
#ifndef RUNTIME_OUTPUT_GRAPH_COUNTER_VIEWS_H
#define RUNTIME_OUTPUT_GRAPH_COUNTER_VIEWS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings/settings.h"
#include "runtime/output/graph/graph_options.h"
#include "runtime/output/graph/graph_ratio.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/spool/format.h"

struct counter_views {
	unsigned count;
	struct graph_view view[SPOOL_COUNTERS_MAX];
	struct notes notes[SPOOL_COUNTERS_MAX];
	char name[SPOOL_COUNTERS_MAX][SPOOL_NAME_MAX]; /* names of the counters, by view */
	struct graph_ratio ratio[SPOOL_COUNTERS_MAX][SPOOL_COUNTERS_MAX]; /* by view */
	struct ratios_pair pair[SPOOL_COUNTERS_MAX][SPOOL_COUNTERS_MAX];
	struct graph_ratio_trees trees;
};

/* Returns true for a counter that could not be opened beside others: it has no data to show. */
bool counter_views_is_missing(const struct profile *profile, unsigned counter);

/* Make stacks and texts of all counters but the missing ones, and if `ratios` their ratios too.
 * They may outlive the profile.  Returns 0 with *views, or -errno.  Call counter_views_free() in
 * both cases. */
int counter_views_new(struct profile *profile, enum settings_weight weight, bool ratios,
		      struct counter_views **views);
void counter_views_free(struct counter_views *views);

/* Returns the title of a file with all counters: folded stacks do not contain the command. */
const char *counter_views_title(const struct counter_views *views);

/* Reverse all stacks, and those that the ratios are made of; the `kept` outermost frames stay in
 * front.  Returns 0 or -ENOMEM. */
int counter_views_reverse(struct counter_views *views, size_t kept);

/* Returns true if there is more than one counter to choose from. */
bool counter_views_are_several(const struct profile *profile);

#endif
