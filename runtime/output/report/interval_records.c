/*
 * A record of a clock stands for the time before it that it weighs.  How many samples a record
 * stands for on average says how much evidence one is.
 */
#include "runtime/output/report/intervals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/time/timeline.h"

/* A name and what the stacks that end in it have. */
struct weight {
	double value;
	uint32_t name;
};

static int by_value(const void *a, const void *b)
{
	const struct weight *one = a, *other = b;

	if (one->value != other->value)
		return one->value > other->value ? -1 : 1;
	return (one->name > other->name) - (one->name < other->name);
}

static uint32_t leaf_of(const struct load_source *source, uint32_t node)
{
	uint32_t name = call_tree_node(source->calls, node).name;

	return name <= source->names ? name : 0;
}

/* The largest functions have a feature of their own. */
static int set_features(const struct load_source *source, struct interval_records *records)
{
	struct weight *weights = calloc((size_t)source->names + 1, sizeof(*weights));
	unsigned char *feature = malloc((size_t)source->names + 1);

	if (!weights || !feature) {
		free(weights);
		free(feature);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i <= source->names; i++)
		weights[i].name = i;
	for (size_t i = 0; i < records->count; i++)
		weights[leaf_of(source, records->list[i].node)].value += records->list[i].value;
	qsort(weights, (size_t)source->names + 1, sizeof(*weights), by_value);
	memset(feature, INTERVAL_FEATURES - 1, (size_t)source->names + 1);
	for (uint32_t i = 0; i < INTERVAL_FEATURES - 1 && i <= source->names; i++)
		if (weights[i].value > 0)
			feature[weights[i].name] = (unsigned char)i;
	for (size_t i = 0; i < records->count; i++)
		records->list[i].feature = feature[leaf_of(source, records->list[i].node)];
	free(weights);
	free(feature);
	return 0;
}

/* A counter that is no clock gives at most the time since the record before. */
static void set_spans(const struct load_source *source, struct interval_records *records)
{
	double samples = 0, squares = 0, spans = 0, before = records->from_ns;

	for (size_t i = 0; i < records->count; i++)
		samples += records->list[i].samples;
	for (size_t i = 0; i < records->count; i++) {
		struct interval_record *record = &records->list[i];
		double length = record->value, most = record->time_ns - records->from_ns;

		if (!source->lasts) {
			length = record->samples > 1
					 ? record->samples * (records->to_ns - records->from_ns) /
						   samples
					 : 0;
			most = record->time_ns - before;
		}
		record->span_ns = length < most ? length : most;
		before = record->time_ns;
		squares += record->samples * record->samples;
		spans += record->span_ns;
	}
	if (samples > 0) {
		records->mean_ns = spans / samples;
		records->lump = squares / samples;
	}
}

int interval_records_read(const struct load_source *source, struct interval_records *records)
{
	const struct timeline *timeline = source->timeline;

	*records = (struct interval_records){ .from_ns = (double)timeline->from_ns,
					      .to_ns = (double)timeline->end_ns };
	records->list = calloc(timeline->sample_count + 1, sizeof(*records->list));
	if (!records->list)
		return -ENOMEM;
	for (size_t i = 0; i < timeline->sample_count; i++) {
		const struct timeline_sample *sample = &timeline->samples[i];

		if (!load_source_takes(source, sample))
			continue;
		records->list[records->count++] = (struct interval_record){
			.time_ns = (double)sample->time_ns,
			.samples = sample->samples ? (double)sample->samples : 1,
			.value = (double)sample->events,
			.node = sample->node,
		};
	}
	set_spans(source, records);
	return set_features(source, records);
}

void interval_records_free(struct interval_records *records)
{
	free(records->list);
	records->list = NULL;
	records->count = 0;
}

size_t interval_records_at(const struct interval_records *records, double time_ns)
{
	size_t low = 0, high = records->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (records->list[middle].time_ns < time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void count_record(const struct interval_record *record, double to, double pieces_long,
			 unsigned pieces, const struct interval_counts *counts)
{
	double from = to - pieces_long > 0 ? to - pieces_long : 0;
	unsigned last = to < pieces ? (unsigned)to : pieces - 1;
	unsigned first = pieces_long > 1 ? (unsigned)from : last;

	for (unsigned piece = first; piece <= last; piece++) {
		double part = 1;

		if (pieces_long > 1) {
			double end = to < piece + 1 ? to : piece + 1;

			part = (end - (from > piece ? from : piece)) / pieces_long;
		}
		counts->records[(size_t)piece * INTERVAL_FEATURES + record->feature] += part;
		counts->samples[(size_t)piece * INTERVAL_FEATURES + record->feature] +=
			part * record->samples;
	}
}

int interval_counts_make(const struct interval_records *records, unsigned pieces,
			 struct interval_counts *counts)
{
	double scale = pieces / (records->to_ns - records->from_ns);

	counts->samples = calloc((size_t)pieces * INTERVAL_FEATURES, sizeof(*counts->samples));
	counts->records = calloc((size_t)pieces * INTERVAL_FEATURES, sizeof(*counts->records));
	if (!counts->samples || !counts->records)
		return -ENOMEM;
	for (size_t i = 0; i < records->count; i++) {
		const struct interval_record *record = &records->list[i];
		double to = (record->time_ns - records->from_ns) * scale;

		if (to >= 0)
			count_record(record, to < pieces ? to : pieces, record->span_ns * scale,
				     pieces, counts);
	}
	return 0;
}

void interval_counts_free(struct interval_counts *counts)
{
	free(counts->samples);
	free(counts->records);
	*counts = (struct interval_counts){ 0 };
}

/* In place: a joined piece lies before those that it is made of. */
static void join(double *values, unsigned pieces, unsigned factor)
{
	for (unsigned piece = 0; piece < pieces / factor; piece++)
		for (unsigned feature = 0; feature < INTERVAL_FEATURES; feature++) {
			double sum = 0;

			for (unsigned i = 0; i < factor; i++)
				sum += values[((size_t)piece * factor + i) * INTERVAL_FEATURES +
					      feature];
			values[(size_t)piece * INTERVAL_FEATURES + feature] = sum;
		}
}

void interval_counts_join(struct interval_counts *counts, unsigned pieces, unsigned factor)
{
	join(counts->samples, pieces, factor);
	join(counts->records, pieces, factor);
}
