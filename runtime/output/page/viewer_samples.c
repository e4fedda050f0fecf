/*
 * A sample without a time belongs to a track of its own, at the beginning.
 */
#include "runtime/output/page/viewer_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/output/graph/counter_views.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"

static int choose_counters(struct viewer_samples *samples)
{
	unsigned count = profile_counter_count(samples->profile);

	samples->number = malloc(count + 1);
	if (!samples->number)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++) {
		samples->number[i] = VIEWER_NO_COUNTER;
		if (counter_views_is_missing(samples->profile, i) ||
		    samples->counters == SPOOL_COUNTERS_MAX)
			continue;
		samples->number[i] = (uint8_t)samples->counters;
		samples->counter[samples->counters++] = i;
	}
	return 0;
}

static bool is_shown(const struct viewer_samples *samples, const struct timeline_sample *sample)
{
	return sample->node != CALL_TREE_ROOT &&
	       samples->number[sample->counter] != VIEWER_NO_COUNTER &&
	       (sample->samples || sample->events);
}

/* The command is the first frame of every stack. */
static uint32_t first_command(const struct profile_trees *merge)
{
	return call_tree_count(merge->calls) > 1 ? call_tree_node(merge->calls, 1).name : 0;
}

static void make_moment(struct viewer_samples *samples)
{
	const struct spool_header *first = profile_first(samples->profile);
	uint32_t command = first_command(profile_merge(samples->profile));

	samples->nobody = (struct timeline_process){ .pid = first ? first->pid : 0,
						     .parent_pid = first ? first->parent_pid : 0,
						     .command = command,
						     .executable = command };
	samples->nowhere = (struct timeline_track){ .name = command };
	samples->moment = (struct timeline){
		.processes = &samples->nobody,
		.process_count = 1,
		.tracks = &samples->nowhere,
		.track_count = 1,
		.zero_realtime_ns = first ? first->start_realtime_ns : 0,
		.partial = true,
	};
	samples->timeline = &samples->moment;
}

/* Sums of one counter over the samples that have a time, by node. */
struct known {
	struct spool_read_weight *sum;
	uint32_t nodes;
};

static void add_known(const struct timeline *timeline, unsigned counter, struct known *known)
{
	memset(known->sum, 0, known->nodes * sizeof(*known->sum));
	for (size_t i = 0; i < timeline->sample_count; i++) {
		const struct timeline_sample *sample = &timeline->samples[i];

		if (sample->counter != counter || sample->node >= known->nodes)
			continue;
		known->sum[sample->node].samples += sample->samples;
		known->sum[sample->node].events += sample->events;
	}
}

static uint64_t rest(uint64_t whole, uint64_t part)
{
	return whole > part ? whole - part : 0;
}

/* Add what a counter's stacks have more than its samples. */
static int add_rest(struct viewer_samples *samples, unsigned counter, const struct known *known)
{
	const struct profile_trees *merge = profile_merge(samples->profile);

	for (uint32_t node = 1; node < known->nodes; node++) {
		struct spool_read_weight all = call_tree_weight(merge->calls, node, counter);
		struct timeline_sample sample = {
			.time_ns = samples->timeline->from_ns,
			.samples = rest(all.samples, known->sum[node].samples),
			.events = rest(all.events, known->sum[node].events),
			.node = node,
			.track = samples->timeless,
			.counter = counter,
		};

		if (!sample.samples && !sample.events)
			continue;
		if (!grow(&samples->own, samples->listed, sizeof(sample)))
			return -ENOMEM;
		samples->own[samples->listed++] = sample;
	}
	return 0;
}

/* Put the samples that have times behind those that have none. */
static int append_timed(struct viewer_samples *samples)
{
	const struct timeline *timeline = samples->timeline;
	size_t all = samples->listed + timeline->sample_count;
	struct timeline_sample *grown;

	samples->timeless = samples->listed ? timeline->track_count : TIMELINE_NONE;
	if (!samples->listed || !timeline->sample_count)
		return 0;
	grown = reallocarray(samples->own, all, sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	memcpy(grown + samples->listed, timeline->samples, timeline->sample_count * sizeof(*grown));
	samples->own = grown;
	samples->listed = all;
	return 0;
}

/* Not for a thinned log: its stacks are estimates, which leave no rest that means anything. */
static int add_timeless(struct viewer_samples *samples)
{
	const struct timeline *timeline = samples->timeline;
	struct known known = { .nodes = call_tree_count(profile_merge(samples->profile)->calls) };
	int err = 0;

	samples->timeless = timeline == &samples->moment ? 0 : timeline->track_count;
	known.sum = calloc(known.nodes, sizeof(*known.sum));
	if (!known.sum)
		return -ENOMEM;
	for (unsigned i = 0; !err && i < samples->counters; i++) {
		add_known(timeline, samples->counter[i], &known);
		err = add_rest(samples, samples->counter[i], &known);
	}
	free(known.sum);
	if (!err && timeline != &samples->moment)
		err = append_timed(samples);
	return err;
}

int viewer_samples_make(struct viewer_samples *samples, const struct profile *profile,
			const struct timeline *timeline)
{
	int err;

	*samples = (struct viewer_samples){
		.profile = profile,
		.timeline = timeline,
		.timeless = TIMELINE_NONE,
	};
	if (!timeline || !timeline->process_count || !timeline->track_count)
		make_moment(samples);
	timeline = samples->timeline;
	err = choose_counters(samples);
	if (!err && !timeline->thinned)
		err = add_timeless(samples);
	if (err)
		return err;
	samples->list = samples->own;
	if (!samples->listed) {
		samples->list = timeline->samples;
		samples->listed = timeline->sample_count;
	}
	for (size_t i = 0; i < samples->listed; i++)
		samples->count += is_shown(samples, &samples->list[i]);
	return 0;
}

void viewer_samples_free(struct viewer_samples *samples)
{
	free(samples->number);
	free(samples->own);
}

const struct timeline_sample *viewer_samples_next(const struct viewer_samples *samples,
						  const struct timeline_sample *sample)
{
	size_t i = sample ? (size_t)(sample - samples->list) + 1 : 0;

	for (; i < samples->listed; i++)
		if (is_shown(samples, &samples->list[i]))
			return &samples->list[i];
	return NULL;
}
