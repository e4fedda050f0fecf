/*
 * Joins samples of a page that would be too large.  A group is a sample with those of the other
 * counters that were read at that moment: they have the same time, track and node.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/map.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/output/page/viewer_samples.h"

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

/* Take out the samples that the page does not have. */
static void pack(struct viewer_samples *samples)
{
	const struct timeline_sample *next = viewer_samples_next(samples, NULL);
	size_t kept = 0;

	for (; next; next = viewer_samples_next(samples, next))
		samples->own[kept++] = *next;
	samples->listed = kept;
	samples->count = kept;
}

/* Makes the list one that may be changed. */
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
