/*
 * Logs are nearly sorted already, each by itself.  Small keys are sorted, and then the samples are
 * moved once, in place: a million of them take much memory.
 */
#include "runtime/profile/time/timeline_sort.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/order.h"

struct key {
	uint64_t time_ns;
	uint32_t track;
	uint32_t index; /* where the sample is */
};

static uint64_t shift(uint64_t time_ns, uint64_t later_ns)
{
	uint64_t shifted = time_ns + later_ns;

	return (int64_t)shifted < 0 ? 0 : shifted;
}

void timeline_sort_shift(struct timeline *timeline, uint64_t later_ns)
{
	for (size_t i = 0; i < timeline->sample_count; i++)
		timeline->samples[i].time_ns = shift(timeline->samples[i].time_ns, later_ns);
	for (size_t i = 0; i < timeline->mark_count; i++)
		timeline->marks[i].time_ns = shift(timeline->marks[i].time_ns, later_ns);
	for (uint32_t i = 0; i < timeline->track_count; i++) {
		struct timeline_track *track = &timeline->tracks[i];

		track->start_ns = shift(track->start_ns, later_ns);
		track->end_ns = shift(track->end_ns, later_ns);
		if (track->end_ns < track->start_ns)
			track->end_ns = track->start_ns;
	}
	for (uint32_t i = 0; i < timeline->process_count; i++) {
		struct timeline_process *process = &timeline->processes[i];

		process->start_ns = shift(process->start_ns, later_ns);
		process->end_ns = shift(process->end_ns, later_ns);
		if (process->end_ns < process->start_ns)
			process->end_ns = process->start_ns;
	}
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *one = a, *other = b;

	return order_of(one->time_ns, other->time_ns)
		       ?: order_of(one->track, other->track)
		       ?: order_of(one->index, other->index);
}

/* Moves each sample to the place of its key, along the cycles of the permutation. */
static void permute(struct timeline_sample *samples, struct key *keys, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct timeline_sample first = samples[i];
		size_t to = i;

		while (keys[to].index != i) {
			size_t from = keys[to].index;

			samples[to] = samples[from];
			keys[to].index = (uint32_t)to;
			to = from;
		}
		samples[to] = first;
		keys[to].index = (uint32_t)to;
	}
}

static bool is_sorted(const struct timeline *timeline)
{
	for (size_t i = 1; i < timeline->sample_count; i++) {
		const struct timeline_sample *a = &timeline->samples[i - 1];
		const struct timeline_sample *b = &timeline->samples[i];

		if (a->time_ns > b->time_ns || (a->time_ns == b->time_ns && a->track > b->track))
			return false;
	}
	return true;
}

static int sort_samples(struct timeline *timeline)
{
	size_t count = timeline->sample_count;
	struct key *keys;

	if (is_sorted(timeline))
		return 0;
	keys = count < UINT32_MAX ? calloc(count, sizeof(*keys)) : NULL;
	if (!keys)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		keys[i] = (struct key){ timeline->samples[i].time_ns, timeline->samples[i].track,
					(uint32_t)i };
	qsort(keys, count, sizeof(*keys), compare_keys);
	permute(timeline->samples, keys, count);
	free(keys);
	return 0;
}

static int compare_marks(const void *a, const void *b)
{
	const struct timeline_mark *one = a, *other = b;

	return order_of(one->time_ns, other->time_ns)
		       ?: order_of(one->process, other->process)
		       ?: order_of(one->track, other->track)
		       ?: order_of(one->kind, other->kind)
		       ?: order_of(one->value, other->value);
}

int timeline_sort(struct timeline *timeline)
{
	if (timeline->mark_count)
		qsort(timeline->marks, timeline->mark_count, sizeof(*timeline->marks),
		      compare_marks);
	return sort_samples(timeline);
}

static int compare_starts(const void *a, const void *b, void *context)
{
	const struct timeline *timeline = context;
	const struct timeline_process *one = &timeline->processes[*(const uint32_t *)a];
	const struct timeline_process *other = &timeline->processes[*(const uint32_t *)b];

	return order_of(one->pid, other->pid) ?: order_of(one->start_ns, other->start_ns);
}

int timeline_sort_execs(struct timeline *timeline, const uint64_t *ticks)
{
	uint32_t count = timeline->process_count;
	uint32_t *order = calloc((size_t)count + 1, sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		order[i] = i;
	qsort_r(order, count, sizeof(*order), compare_starts, timeline);
	for (uint32_t i = 1; i < count; i++) {
		struct timeline_process *before = &timeline->processes[order[i - 1]];
		struct timeline_process *process = &timeline->processes[order[i]];

		process->exec = process->pid == before->pid && process->host == before->host &&
				ticks[order[i]] && ticks[order[i]] == ticks[order[i - 1]];
	}
	free(order);
	return 0;
}

uint64_t timeline_sort_end(const struct timeline *timeline)
{
	uint64_t end_ns = 0;

	if (timeline->sample_count)
		end_ns = timeline->samples[timeline->sample_count - 1].time_ns;
	if (timeline->mark_count && timeline->marks[timeline->mark_count - 1].time_ns > end_ns)
		end_ns = timeline->marks[timeline->mark_count - 1].time_ns;
	for (uint32_t i = 0; i < timeline->process_count; i++)
		if (timeline->processes[i].end_ns > end_ns)
			end_ns = timeline->processes[i].end_ns;
	return end_ns;
}
