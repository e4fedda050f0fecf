/*
 * Counters with their totals, processes and losses; struct merge holds the stacks.
 */
#include "runtime/fold/profile/profile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/fold/base/grow.h"
#include "runtime/fold/base/map.h"
#include "runtime/fold/base/string_table.h"
#include "runtime/fold/profile/blocked.h"
#include "runtime/fold/profile/call_tree.h"
#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/profile/merge.h"
#include "runtime/fold/spool/spool_read.h"
#include "runtime/spool/spool_settings.h"

struct counter {
	struct spool_counter about;
	struct profile_total total; /* without the sums that the call tree has */
};

struct profile {
	struct merge merge;
	struct profile_summary summary;
	struct map processes; /* {pid, start ticks} seen */
	struct counter *counters;
	unsigned counter_count;
	struct spool_header *first;
};

struct profile *profile_new(const struct profile_options *options)
{
	struct profile *profile = calloc(1, sizeof(*profile));

	if (profile && merge_open(&profile->merge, options)) {
		free(profile);
		return NULL;
	}
	return profile;
}

void profile_free(struct profile *profile)
{
	if (!profile)
		return;
	merge_close(&profile->merge);
	map_free(&profile->processes);
	free(profile->counters);
	free(profile->first);
	free(profile);
}

/* Returns the index of the profile's counter with that name, made if it is new; -ENOMEM. */
static int find_counter(struct profile *profile, const struct spool_counter *counter)
{
	for (unsigned i = 0; i < profile->counter_count; i++) {
		struct spool_counter *known = &profile->counters[i].about;
		uint32_t unavailable = known->flags & counter->flags & SPOOL_COUNTER_UNAVAILABLE;

		if (strcmp(known->name, counter->name) != 0)
			continue;
		known->missing = known->missing && counter->missing;
		if (known->raised < counter->raised)
			known->raised = counter->raised;
		known->flags |= counter->flags;
		known->flags &= ~SPOOL_COUNTER_UNAVAILABLE;
		known->flags |= unavailable;
		return (int)i;
	}
	if (!grow(&profile->counters, profile->counter_count, sizeof(*profile->counters)))
		return -ENOMEM;
	profile->counters[profile->counter_count] = (struct counter){ .about = *counter };
	return (int)profile->counter_count++;
}

static void add_totals(struct profile *profile, const struct spool_read *spool,
		       const struct spool_read_thread *thread, const uint32_t *counter)
{
	for (uint32_t c = 0; c < spool->header.counter_count; c++) {
		struct profile_total *total = &profile->counters[counter[c]].total;

		total->counted += thread->slot.total[c].value;
		total->enabled_ns += thread->slot.total[c].enabled_ns;
		total->running_ns += thread->slot.total[c].running_ns;
		total->dropped += thread->slot.total[c].dropped;
		total->paused += thread->slot.total[c].paused;
	}
}

/* Counters that came with this spool refer to their leader by its number in the spool. */
static void adopt_leaders(struct profile *profile, const struct spool_read *spool,
			  const uint32_t *counter, unsigned known)
{
	uint32_t count = spool->header.counter_count;

	for (uint32_t c = 0; c < count; c++) {
		uint32_t leader = spool->header.counter[c].leader;

		if (counter[c] >= known)
			profile->counters[counter[c]].about.leader =
				counter[leader < count ? leader : c];
	}
}

static int add_contexts(struct profile *profile, const struct spool_read *spool)
{
	uint32_t counter[SPOOL_COUNTERS_MAX];
	unsigned known = profile->counter_count;

	for (uint32_t c = 0; c < spool->header.counter_count; c++) {
		int found = find_counter(profile, &spool->header.counter[c]);

		if (found < 0)
			return found;
		counter[c] = (uint32_t)found;
	}
	adopt_leaders(profile, spool, counter, known);
	for (size_t i = 0; i < spool->thread_count; i++)
		add_totals(profile, spool, &spool->threads[i], counter);
	return merge_spool(&profile->merge, spool, counter);
}

static int add_summary(struct profile *profile, const struct spool_read *spool)
{
	uint32_t *seen = map_at(&profile->processes, spool->header.pid, spool->header.start_ticks);

	if (!seen)
		return -ENOMEM;
	profile_summary_add(&profile->summary, spool, *seen);
	*seen = 1;
	return 0;
}

static int add_spool(struct profile *profile, const struct spool_read *spool)
{
	int err;

	if (!profile->first) {
		profile->first = malloc(sizeof(*profile->first));
		if (!profile->first)
			return -ENOMEM;
		memcpy(profile->first, &spool->header, sizeof(spool->header));
	}
	err = add_summary(profile, spool);
	return err ? err : add_contexts(profile, spool);
}

int profile_read_fd(struct profile *profile, int fd, const char *path, char *line, size_t bytes)
{
	struct spool_read spool;
	struct stat st;
	int damaged = spool_read_fd(fd, path, &spool, line, bytes);
	int err;

	if (damaged < 0)
		return damaged;
	err = blocked_add(&spool, fd, profile->merge.namer);
	if (!err)
		err = add_spool(profile, &spool);
	if (!err) {
		profile_summary_add_state(&profile->summary, path, &spool.header);
		profile->summary.foreign |= fstat(fd, &st) || st.st_uid != geteuid();
	}
	spool_read_free(&spool);
	if (!err)
		return damaged;
	snprintf(line, bytes, "%s: %s", path, strerror(-err));
	return err;
}

int profile_read(struct profile *profile, const char *path, char *line, size_t bytes)
{
	int fd;
	int err = spool_read_open(path, &fd, line, bytes);

	if (err)
		return err;
	err = profile_read_fd(profile, fd, path, line, bytes);
	close(fd);
	return err;
}

int profile_add_tree(struct profile *profile, struct frame_tree *tree)
{
	const struct spool_counter nameless = { .name = "value", .flags = SPOOL_COUNTER_SAMPLES };

	if (!profile->counter_count) {
		int counter = find_counter(profile, &nameless);

		if (counter < 0)
			return counter;
	}
	return merge_tree(&profile->merge, tree, 0);
}

const struct profile_summary *profile_summary(const struct profile *profile)
{
	return &profile->summary;
}

const struct spool_header *profile_first(const struct profile *profile)
{
	return profile->first;
}

unsigned profile_counter_count(const struct profile *profile)
{
	return profile->counter_count;
}

const struct spool_counter *profile_counter(const struct profile *profile, unsigned counter)
{
	return &profile->counters[counter].about;
}

struct profile_total profile_total(const struct profile *profile, unsigned counter)
{
	struct profile_total total = profile->counters[counter].total;
	struct spool_read_weight carried = call_tree_sum(profile->merge.calls, counter);

	total.samples = carried.samples;
	total.events = carried.events;
	return total;
}

uint64_t profile_period(const struct profile *profile, unsigned counter)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	struct profile_total total = profile_total(profile, counter);

	if (about->period)
		return about->period;
	if (about->unit == SPOOL_UNIT_NS && about->frequency_hz)
		return 1000000000 / about->frequency_hz;
	return total.samples ? total.events / total.samples : 0;
}

const struct merge *profile_merge(const struct profile *profile)
{
	return &profile->merge;
}

int profile_tree(struct profile *profile, unsigned counter, enum settings_weight weight,
		 struct frame_tree **tree)
{
	bool events = spool_settings_weigh_events(&profile->counters[counter].about, weight);
	struct frame_tree *made = frame_tree_new();
	int err = made ? call_tree_to_frames(profile->merge.calls, &profile->merge.strings, counter,
					     events, made)
		       : -ENOMEM;

	return frame_tree_end(made, err, tree);
}
