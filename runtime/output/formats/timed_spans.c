/* One walk over the samples in the order of time, with an open span for each track. */
#include "runtime/output/formats/timed.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/grow.h"
#include "runtime/profile/base/safe_text.h"

/* What is written of labels, at most: bytes of texts behind which no other label is begun, and
 * labels.  A damaged spool may have long sets, and another one for each sample. */
#define TEXT_MOST   1000
#define LABELS_MOST SPOOL_LABEL_SET_MAX

struct walk {
	struct timed_span *open; /* by track */
	struct timed_span *spans;
	size_t count;
};

static bool is_labelled(const struct timed_span *span)
{
	return span->labels || span->trace;
}

/* End the open span of a track.  Returns 0 or -ENOMEM. */
static int end_span(struct walk *walk, uint32_t track, uint64_t time_ns)
{
	struct timed_span span = walk->open[track];

	if (!is_labelled(&span))
		return 0;
	if (!grow(&walk->spans, walk->count, sizeof(span)))
		return -ENOMEM;
	span.track = track;
	span.to_ns = time_ns;
	walk->spans[walk->count++] = span;
	return 0;
}

static int take_sample(struct walk *walk, const struct timeline_sample *sample)
{
	struct timed_span *open = &walk->open[sample->track];
	int err;

	if (open->labels == sample->labels && open->trace == sample->trace) {
		open->to_ns = sample->time_ns;
		return 0;
	}
	err = end_span(walk, sample->track, sample->time_ns);
	*open = (struct timed_span){
		.labels = sample->labels,
		.trace = sample->trace,
		.from_ns = sample->time_ns,
		.to_ns = sample->time_ns,
	};
	return err;
}

static int compare(const void *left, const void *right)
{
	const struct timed_span *a = left;
	const struct timed_span *b = right;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

int timed_spans_make(const struct timeline *timeline, struct timed_span **spans, size_t *count)
{
	struct walk walk = { 0 };
	int err;

	walk.open = calloc((size_t)timeline->track_count + 1, sizeof(*walk.open));
	err = walk.open ? 0 : -ENOMEM;
	for (size_t i = 0; !err && i < timeline->sample_count; i++)
		err = take_sample(&walk, &timeline->samples[i]);
	for (uint32_t i = 0; !err && i < timeline->track_count; i++)
		err = end_span(&walk, i, walk.open[i].to_ns);
	free(walk.open);
	if (err)
		free(walk.spans);
	else if (walk.count)
		qsort(walk.spans, walk.count, sizeof(*walk.spans), compare);
	*spans = err ? NULL : walk.spans;
	*count = err ? 0 : walk.count;
	return err;
}

const struct timed_span *timed_spans_of(const struct timed_span *spans, size_t count,
					uint32_t track, size_t *found)
{
	size_t first = 0;
	size_t end = count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (spans[middle].track < track)
			first = middle + 1;
		else
			end = middle;
	}
	while (end < count && spans[end].track == track)
		end++;
	*found = end - first;
	return *found ? spans + first : NULL;
}

/* Returns whether a label set later than `at` has its key. */
static bool is_hidden(const struct timeline *timeline, uint32_t last, uint32_t at)
{
	for (uint32_t i = last; i != at; i = timeline->labels[i - 1].below)
		if (timeline->labels[i - 1].key == timeline->labels[at - 1].key)
			return true;
	return false;
}

static void write_hexadecimal(FILE *file, const char *name, const uint8_t *bytes, size_t count)
{
	fputs(name, file);
	for (size_t i = 0; i < count; i++)
		fprintf(file, "%02x", bytes[i]);
}

/* Write "request=17, user=alice", and trace and span ids. */
static void write_span(const struct timed *timed, const struct timed_span *span, FILE *file)
{
	const struct timeline *timeline = timed->timeline;
	const char *between = "";
	int bytes = 0;
	unsigned labels = 0;

	for (uint32_t i = span->labels; i; i = timeline->labels[i - 1].below) {
		const struct timeline_label *label = &timeline->labels[i - 1];
		const char *value = timed_text(timed, label->value);

		if (!value[0] || is_hidden(timeline, span->labels, i))
			continue;
		if (bytes > TEXT_MOST || labels++ == LABELS_MOST) {
			fputs(", …", file);
			break;
		}
		bytes += fprintf(file, "%s%s=%s", between, timed_text(timed, label->key), value);
		between = ", ";
	}
	if (!span->trace)
		return;
	fputs(between, file);
	write_hexadecimal(file, "trace=", timeline->traces[span->trace - 1].trace, 16);
	write_hexadecimal(file, ", span=", timeline->traces[span->trace - 1].span, 8);
}

/* Write what is known of a mark beside its name: "/lib/libm.so.6", "pid 4711". */
static void write_mark(const struct timed *timed, const struct timeline_mark *mark, FILE *file)
{
	fputs(timed_text(timed, mark->text), file);
	if (mark->kind == SPOOL_MARK_FORK)
		fprintf(file, "pid %" PRIu64, mark->value);
	else if (mark->kind == SPOOL_MARK_EXEC_FAILED && mark->value < INT_MAX)
		fputs(strerror((int)mark->value), file);
	else if (mark->kind == SPOOL_MARK_SLOWER)
		fprintf(file, ", period %" PRIu64, mark->value >> 4);
}

char *timed_spans_details(const struct timed *timed, const struct timeline_mark *mark,
			  const struct timed_span *span, size_t *bytes)
{
	char *text = NULL, *safe = NULL;
	FILE *file = open_memstream(&text, bytes);

	if (file && mark)
		write_mark(timed, mark, file);
	else if (file)
		write_span(timed, span, file);
	if (file && !fclose(file))
		safe = safe_text_copy(text, *bytes, bytes);
	free(text);
	return safe;
}
