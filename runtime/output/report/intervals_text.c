/*
 * The sums of a moment by node, compared with those of the rest, say which function grew and what
 * its threads waited for.
 */
#include "runtime/output/report/intervals.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/number_text.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/time/timeline.h"

#define NS_PER_S    1000000000ULL
#define SHORT_NS    (120 * NS_PER_S) /* shorter durations have one unit */
#define GROWN_LEAST 0.02	     /* by which an inner function must have grown more */

static void add_waits(const struct load_source *source, const struct profile *profile,
		      double from_ns, double to_ns, struct interval_sums *sums)
{
	const struct timeline *timeline = source->timeline;

	for (size_t i = 0; i < timeline->sample_count; i++) {
		const struct timeline_sample *sample = &timeline->samples[i];
		double end = (double)sample->time_ns, start = end - (double)sample->events;

		if (!sample->node ||
		    !(profile_counter(profile, sample->counter)->flags & SPOOL_COUNTER_OFF_CPU))
			continue;
		start = start > from_ns ? start : from_ns;
		end = end < to_ns ? end : to_ns;
		if (end <= start)
			continue;
		sums->total[sample->node] += end - start;
		sums->waited += end - start;
	}
}

int interval_sums_make(const struct load_source *source, const struct interval_records *records,
		       const struct profile *profile, double from_ns, double to_ns,
		       struct interval_sums *sums)
{
	uint32_t nodes = call_tree_count(source->calls);
	size_t end = interval_records_at(records, to_ns);

	*sums = (struct interval_sums){ .total = calloc(nodes, sizeof(*sums->total)) };
	if (!sums->total)
		return -ENOMEM;
	for (size_t i = interval_records_at(records, from_ns); i < end; i++)
		sums->total[records->list[i].node] += records->list[i].value;
	if (profile)
		add_waits(source, profile, from_ns, to_ns, sums);
	for (uint32_t i = nodes - 1; i > 0; i--)
		sums->total[call_tree_node(source->calls, i).parent] += sums->total[i];
	return 0;
}

void interval_sums_free(struct interval_sums *sums)
{
	free(sums->total);
	*sums = (struct interval_sums){ 0 };
}

/* Returns the node whose share grew most, of nearly equal ones the outermost; 0: none grew. */
static uint32_t most_grown(const struct load_source *source, const struct interval_sums *now,
			   const struct interval_sums *before)
{
	uint32_t nodes = call_tree_count(source->calls), best = 0;
	double most = 0;

	for (uint32_t i = 1; i < nodes; i++) {
		double grown = now->total[i] / now->total[0] - before->total[i] / before->total[0];

		if (grown > most + GROWN_LEAST) {
			most = grown;
			best = i;
		}
	}
	return best;
}

/* Returns the interval of moments that come at regular times, or 0. */
static uint64_t interval(const struct intervals_alike *alike, double *steps)
{
	unsigned count = alike->count - 1, near = 0;
	double middle;

	for (unsigned i = 0; i < count; i++)
		steps[i] = alike->list[i + 1].from_ns - alike->list[i].from_ns;
	qsort(steps, count, sizeof(*steps), maths_ascending);
	middle = steps[count / 2];
	for (unsigned i = 0; i < count; i++)
		near += __builtin_fabs(steps[i] - middle) < 0.1 * middle;
	return count >= 3 && near >= 0.6 * count ? (uint64_t)(middle + 0.5) : 0;
}

/* 80 ms, 1.02 s, 3 min 20 s */
static void write_duration(FILE *file, double length_ns)
{
	uint64_t ns = (uint64_t)(length_ns + 0.5), seconds = (ns + NS_PER_S / 2) / NS_PER_S;
	const char *before = "";

	if (ns < SHORT_NS) {
		number_text_value(file, ns, "ns");
		return;
	}
	if (seconds / 3600) {
		fprintf(file, "%" PRIu64 " h", seconds / 3600);
		before = " ";
	}
	if (seconds / 60 % 60) {
		fprintf(file, "%s%" PRIu64 " min", before, seconds / 60 % 60);
		before = " ";
	}
	if (seconds % 60)
		fprintf(file, "%s%" PRIu64 " s", before, seconds % 60);
}

static int write_times(const struct intervals_alike *alike, struct interval_words *words)
{
	FILE *file = fmemopen(words->times, sizeof(words->times), "w");
	double *lengths = calloc(alike->count, sizeof(*lengths)), sum = 0;

	if (!file || !lengths) {
		free(lengths);
		if (file)
			fclose(file);
		return -ENOMEM;
	}
	words->every_ns = alike->count > 1 ? interval(alike, lengths) : 0;
	for (unsigned i = 0; i < alike->count; i++) {
		lengths[i] = alike->list[i].to_ns - alike->list[i].from_ns;
		sum += lengths[i];
	}
	qsort(lengths, alike->count, sizeof(*lengths), maths_ascending);
	if (alike->count > 1)
		fprintf(file, "%u times ", alike->count);
	if (lengths[alike->count - 1] > 2 * lengths[0]) {
		write_duration(file, lengths[0]);
		fputs(" to ", file);
		write_duration(file, lengths[alike->count - 1]);
	} else {
		write_duration(file, sum / alike->count);
	}
	if (words->every_ns) {
		fputs(", every ", file);
		write_duration(file, (double)words->every_ns);
	}
	fclose(file);
	free(lengths);
	return 0;
}

static int explain_mix(const struct load_source *source, const struct interval_records *records,
		       const struct interval_sums *whole, const struct interval *typical,
		       struct interval_words *words)
{
	struct interval_sums now;
	int err = interval_sums_make(source, records, NULL, typical->from_ns, typical->to_ns, &now);

	if (!err) {
		uint32_t node = most_grown(source, &now, whole);

		words->name = call_tree_node(source->calls, node).name;
		words->share = now.total[node] / now.total[0];
		words->usual = whole->total[node] / whole->total[0];
	}
	interval_sums_free(&now);
	return err;
}

/* The function in which threads waited more than usual at a quiet moment, where that is known. */
static int explain_quiet(const struct load_source *source, const struct profile *profile,
			 const struct interval_records *records, const struct interval *typical,
			 struct interval_words *words)
{
	struct interval_sums before = { 0 }, now = { 0 };
	int err;

	if (!source->lasts || source->waits)
		return 0;
	err = interval_sums_make(source, records, profile, records->from_ns, records->to_ns + 1,
				 &before);
	if (!err)
		err = interval_sums_make(source, records, profile, typical->from_ns, typical->to_ns,
					 &now);
	if (!err && now.total[0] > 0 && now.waited > 0.5 * now.total[0]) {
		uint32_t node = most_grown(source, &now, &before);

		words->name = node ? call_tree_node(source->calls, node).name : 0;
	}
	interval_sums_free(&before);
	interval_sums_free(&now);
	return err;
}

int intervals_explain(const struct load_source *source, const struct profile *profile,
		      const struct interval_records *records, const struct interval_sums *whole,
		      const struct intervals_alike *alike, struct interval_words *words)
{
	const struct interval *typical = intervals_typical(alike);
	int err;

	*words = (struct interval_words){
		.kind = typical->kind,
		.from_ns = (uint64_t)typical->from_ns,
		.to_ns = (uint64_t)typical->to_ns + 1,
		.count = alike->count,
	};
	err = write_times(alike, words);
	if (!err && typical->kind == INTERVAL_MIX)
		err = explain_mix(source, records, whole, typical, words);
	if (!err && typical->kind == INTERVAL_QUIET)
		err = explain_quiet(source, profile, records, typical, words);
	return err;
}
