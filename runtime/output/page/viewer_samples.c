/* A sample without a time belongs to a track of its own, at the beginning. */
#include "runtime/output/page/viewer_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/map.h"
#include "runtime/output/graph/counter_views.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"

#define NO_COUNTER UINT8_MAX

static int choose_counters(struct viewer_samples *samples)
{
	unsigned count = profile_counter_count(samples->profile);

	samples->number = malloc(count + 1);
	if (!samples->number)
		return -ENOMEM;
	for (unsigned i = 0; i < count; i++) {
		samples->number[i] = NO_COUNTER;
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
	return sample->node != CALL_TREE_ROOT && samples->number[sample->counter] != NO_COUNTER &&
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

/* A group is a sample with those of the other counters that were read at that moment: they have the
 * same time, track and node. */
struct thinning {
	struct timeline_sample *list;
	size_t count;
	struct map waiting; /* {track, counters of a group} to its place + 1 */
	uint64_t random;
	uint64_t joined;
};

/* The same profile gives the same page, so that the numbers begin with a constant.  xorshift64*:
 * a number below `most`, which is not 0. */
static uint64_t random_below(struct thinning *thinning, uint64_t most)
{
	uint64_t x = thinning->random;

	x ^= x >> 12;
	x ^= x << 25;
	x ^= x >> 27;
	thinning->random = x;
	return (uint64_t)((unsigned __int128)(x * 0x2545f4914f6cdd1dULL) * most >> 64);
}

static size_t group_length(const struct thinning *thinning, size_t at)
{
	const struct timeline_sample *first = &thinning->list[at];
	size_t end = at + 1;

	while (end < thinning->count && thinning->list[end].time_ns == first->time_ns &&
	       thinning->list[end].track == first->track &&
	       thinning->list[end].node == first->node &&
	       thinning->list[end].counter != first->counter)
		end++;
	return end - at;
}

/* A number of the counters of a group and their order, one byte for each of the first seven. */
static uint64_t counters_of(const struct timeline_sample *group, size_t length)
{
	uint64_t counters = length;

	for (size_t i = 0; i < length; i++)
		counters = counters * 257 + group[i].counter + 1;
	return counters;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a + b < a ? UINT64_MAX : a + b;
}

static uint64_t weight(const struct timeline_sample *sample)
{
	return sample->events ? sample->events : sample->samples;
}

/* Of two groups one gets the values of both; the other one loses its stack. */
static void join(struct thinning *thinning, struct timeline_sample *first,
		 struct timeline_sample *second, size_t length)
{
	uint64_t both = sum(weight(first), weight(second));
	bool keep_first = both && random_below(thinning, both) < weight(first);
	struct timeline_sample *kept = keep_first ? first : second;
	struct timeline_sample *gone = keep_first ? second : first;

	for (size_t i = 0; i < length; i++) {
		kept[i].samples = sum(kept[i].samples, gone[i].samples);
		kept[i].events = sum(kept[i].events, gone[i].events);
		gone[i].node = CALL_TREE_ROOT;
	}
	thinning->joined += length;
}

static bool is_same(const struct timeline_sample *a, const struct timeline_sample *b, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (a[i].counter != b[i].counter)
			return false;
	return true;
}

static int join_all(struct thinning *thinning)
{
	size_t length;

	for (size_t at = 0; at < thinning->count; at += length) {
		struct timeline_sample *group = &thinning->list[at];
		uint32_t *waiting;

		length = group_length(thinning, at);
		waiting = map_at(&thinning->waiting, group->track, counters_of(group, length));
		if (!waiting)
			return -ENOMEM;
		if (!*waiting) {
			*waiting = (uint32_t)at + 1;
			continue;
		}
		if (group_length(thinning, *waiting - 1) >= length &&
		    is_same(&thinning->list[*waiting - 1], group, length))
			join(thinning, &thinning->list[*waiting - 1], group, length);
		*waiting = 0;
	}
	return 0;
}

static void pack(struct viewer_samples *samples)
{
	const struct timeline_sample *next = viewer_samples_next(samples, NULL);
	size_t kept = 0;

	for (; next; next = viewer_samples_next(samples, next))
		samples->own[kept++] = *next;
	samples->listed = kept;
	samples->count = kept;
}

static int take_over(struct viewer_samples *samples)
{
	if (samples->own)
		return 0;
	samples->own = calloc(samples->listed + 1, sizeof(*samples->own));
	if (!samples->own)
		return -ENOMEM;
	memcpy(samples->own, samples->list, samples->listed * sizeof(*samples->own));
	samples->list = samples->own;
	return 0;
}

int viewer_samples_halve(struct viewer_samples *samples)
{
	struct thinning thinning = { .random = 0x9e3779b97f4a7c15ULL };
	int err = samples->listed && samples->listed < UINT32_MAX ? take_over(samples) : -ENODATA;

	if (err)
		return err;
	pack(samples);
	thinning.list = samples->own;
	thinning.count = samples->listed;
	err = join_all(&thinning);
	map_free(&thinning.waiting);
	samples->joined += thinning.joined;
	pack(samples);
	return err ? err : thinning.joined ? 0 : -ENODATA;
}
