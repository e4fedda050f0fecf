/* The axis, and the order on it.  Boots are few: one, as a rule. */
#include "runtime/profile/time/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/order.h"
#include "runtime/spool/format.h"

/* Two spools whose boots seem to lie closer together are of one boot.  A clock is seldom set by
 * more, and no host boots twice in that time. */
#define SAME_BOOT_NS 60000000000

struct timeline_axis_boot {
	char host[SPOOL_NAME_MAX + 1];
	uint64_t offset_ns; /* of CLOCK_REALTIME to CLOCK_MONOTONIC */
};

void timeline_axis_free(struct timeline_axis *axis)
{
	free(axis->boots);
	*axis = (struct timeline_axis){ 0 };
}

static bool is_near(uint64_t one, uint64_t other)
{
	uint64_t apart = one - other;

	return apart < SAME_BOOT_NS || -apart < SAME_BOOT_NS;
}

/* Returns the boot of a spool; NULL: it is new. */
static const struct timeline_axis_boot *find(const struct timeline_axis *axis,
					     const struct spool_header *header)
{
	uint64_t offset_ns = header->start_realtime_ns - header->start_ns;

	for (uint32_t i = 0; i < axis->boot_count; i++)
		if (is_near(axis->boots[i].offset_ns, offset_ns) &&
		    !strcmp(axis->boots[i].host, header->host))
			return &axis->boots[i];
	return NULL;
}

int timeline_axis_add(struct timeline_axis *axis, const struct spool_header *header,
		      uint64_t end_ns)
{
	uint64_t start_ns, offset_ns;

	if (!find(axis, header)) {
		struct timeline_axis_boot *boot;

		if (!grow(&axis->boots, axis->boot_count, sizeof(*boot)))
			return -ENOMEM;
		boot = &axis->boots[axis->boot_count++];
		memcpy(boot->host, header->host, sizeof(boot->host));
		boot->offset_ns = header->start_realtime_ns - header->start_ns;
	}
	offset_ns = timeline_axis_offset(axis, header);
	start_ns = header->start_ns + offset_ns;
	if (!axis->begun || start_ns < axis->start_ns)
		axis->start_ns = start_ns;
	axis->begun = true;
	if (end_ns > header->start_ns)
		start_ns += end_ns - header->start_ns;
	if (start_ns > axis->end_ns)
		axis->end_ns = start_ns;
	return 0;
}

uint64_t timeline_axis_offset(const struct timeline_axis *axis, const struct spool_header *header)
{
	const struct timeline_axis_boot *boot = find(axis, header);

	return boot ? boot->offset_ns : header->start_realtime_ns - header->start_ns;
}

const char *timeline_mark_name(enum spool_mark kind)
{
	static const char *const names[] = {
		[SPOOL_MARK_FORK] = "fork",
		[SPOOL_MARK_EXEC] = "exec",
		[SPOOL_MARK_EXEC_FAILED] = "exec failed",
		[SPOOL_MARK_LOAD] = "load",
		[SPOOL_MARK_UNLOAD] = "unload",
		[SPOOL_MARK_START] = "start",
		[SPOOL_MARK_STOP] = "stop",
		[SPOOL_MARK_THROTTLED] = "throttled",
		[SPOOL_MARK_SLOWER] = "slower",
	};

	return (size_t)kind < sizeof(names) / sizeof(names[0]) ? names[kind] : NULL;
}

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

static void shift_span(uint64_t *start_ns, uint64_t *end_ns, uint64_t later_ns)
{
	*start_ns = shift(*start_ns, later_ns);
	*end_ns = shift(*end_ns, later_ns);
	if (*end_ns < *start_ns)
		*end_ns = *start_ns;
}

static void shift_all(struct timeline *timeline, uint64_t later_ns)
{
	for (size_t i = 0; i < timeline->sample_count; i++)
		timeline->samples[i].time_ns = shift(timeline->samples[i].time_ns, later_ns);
	for (size_t i = 0; i < timeline->mark_count; i++)
		timeline->marks[i].time_ns = shift(timeline->marks[i].time_ns, later_ns);
	for (uint32_t i = 0; i < timeline->track_count; i++)
		shift_span(&timeline->tracks[i].start_ns, &timeline->tracks[i].end_ns, later_ns);
	for (uint32_t i = 0; i < timeline->process_count; i++)
		shift_span(&timeline->processes[i].start_ns, &timeline->processes[i].end_ns,
			   later_ns);
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

/* Logs are nearly sorted already, each by itself.  Small keys are sorted, and then the samples are
 * moved once, in place: a million of them take much memory. */
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

static int compare_starts(const void *a, const void *b, void *context)
{
	const struct timeline *timeline = context;
	const struct timeline_process *one = &timeline->processes[*(const uint32_t *)a];
	const struct timeline_process *other = &timeline->processes[*(const uint32_t *)b];

	return order_of(one->pid, other->pid) ?: order_of(one->start_ns, other->start_ns);
}

/* Find the processes that exec(2) began: each has the pid and the start of an earlier one. */
static int find_execs(struct timeline *timeline, const uint64_t *ticks)
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

/* Returns the last time of a process, a sample or a mark. */
static uint64_t last_ns(const struct timeline *timeline)
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

int timeline_sort(struct timeline *timeline, uint64_t later_ns, const uint64_t *ticks)
{
	int err;

	shift_all(timeline, later_ns);
	err = find_execs(timeline, ticks);
	if (timeline->mark_count)
		qsort(timeline->marks, timeline->mark_count, sizeof(*timeline->marks),
		      compare_marks);
	if (!err)
		err = sort_samples(timeline);
	timeline->end_ns = last_ns(timeline);
	return err;
}
