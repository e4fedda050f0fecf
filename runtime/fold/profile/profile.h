/*
 * Everything read from any number of spools: who ran, what was counted, what was lost, and
 * the merged calling contexts with their addresses turned into names.
 * A spool is hostile input: every offset and count is checked before it is used.
 */
#ifndef RUNTIME_FOLD_PROFILE_PROFILE_H
#define RUNTIME_FOLD_PROFILE_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "config/settings/settings.h"
#include "runtime/fold/profile/profile_options.h"
#include "runtime/fold/profile/profile_summary.h"
#include "runtime/spool/format.h"

struct frame_tree;
struct gaps;
struct locations;
struct profile;
struct truncations;
struct wait_sites;

/* What one counter counted, and what of it the stacks carry. */
struct profile_total {
	uint64_t counted; /* by the counter itself; 0 where the engine has no counter */
	uint64_t enabled_ns;
	uint64_t running_ns; /* less than enabled where counters took turns */
	uint64_t dropped;    /* of what was counted: events of samples that were not kept */
	uint64_t paused;     /* the same: outside FLAMETRAP_START and _STOP */
	uint64_t samples;    /* in stacks, selected or not */
	uint64_t events;     /* likewise */
};

/* NULL when memory is out.  Free with profile_free. */
struct profile *profile_new(const struct profile_options *options);
void profile_free(struct profile *profile);

/* Read one spool and add it.  What can be read of a damaged spool is kept.
 * Returns 0; 1 if it was damaged and a part was read; or -errno.  In the last two cases `line`
 * names the file, the byte and what is wrong. */
int profile_read(struct profile *profile, const char *path, char *line, size_t bytes);

/* The same of a spool that is open as fd, which stays the caller's (see spool_read_check). */
int profile_read_fd(struct profile *profile, int fd, const char *path, char *line, size_t bytes);

/* Add stacks that have names already to the first counter; where there is none yet, to one
 * named "value".  Returns 0 or -ENOMEM. */
int profile_add_tree(struct profile *profile, struct frame_tree *tree);

const struct profile_summary *profile_summary(const struct profile *profile);

/* The header of the first spool read: output stem, formats, command; NULL if none. */
const struct spool_header *profile_first(const struct profile *profile);

/* Counters by name, merged over the spools. */
unsigned profile_counter_count(const struct profile *profile);
const struct spool_counter *profile_counter(const struct profile *profile, unsigned counter);

struct profile_total profile_total(const struct profile *profile, unsigned counter);

/* How much of a counter one sample stands for; the mean where the rate was steered. */
uint64_t profile_period(const struct profile *profile, unsigned counter);

/* Which modules ended stacks before their outermost frame; owned by the profile. */
struct truncations *profile_truncations(const struct profile *profile);

/* True if some stacks may be left out, as profile_options.selection says. */
bool profile_is_selected(const struct profile *profile);

/* What profile_options.waits asked for; NULL without it. */
const struct wait_sites *profile_wait_sites(const struct profile *profile);

/* What profile_options.gaps asked for; NULL without it.  Owned by the profile. */
struct gaps *profile_gaps(const struct profile *profile);

/* What profile_options.locations asked for; NULL without it. */
const struct locations *profile_locations(const struct profile *profile);

/* Where a frame of profile_tree stands in the source; texts are the profile's. */
struct profile_origin {
	const char *name; /* the function's, without line and suffix */
	const char *file; /* with its directory */
	uint32_t line;
};

/* False where no line is known, or profile_options.lines was not asked for. */
bool profile_origin(const struct profile *profile, const char *name, struct profile_origin *origin);

enum settings_threads profile_threads(const struct profile *profile);

/* Sorted stacks of one counter, named as the folded format wants them, command first.  Values
 * are samples or events as spool_settings_weigh_events has it.
 * Returns 0 with *tree to be freed by frame_tree_free; or -errno. */
int profile_tree(struct profile *profile, unsigned counter, enum settings_weight weight,
		 struct frame_tree **tree);

#endif
