/*
 * The JSON text of the page of a comparison.  Names are numbered in order of appearance: first
 * those of the functions, then those of the frames.  The names of a tree have one address each, but
 * those of two counters do not, so names are compared by their text.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/compare/changes.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/comparison_words.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/output/graph/graph_diff.h"
#include "runtime/output/graph/graph_names.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/output/page/difference_limits.h"
#include "runtime/output/page/difference_page.h"

struct writer {
	const struct comparison *comparison;
	struct string_table names;
	struct difference_limits *limits; /* of each counter */
	FILE *file;
	bool failed; /* memory was out */
};

static void text(const struct writer *writer, const char *words)
{
	safe_text_json(writer->file, words ? words : "", words ? strlen(words) : 0);
}

/* JSON has no NaN and no infinity. */
static void number(const struct writer *writer, double value)
{
	if (isfinite(value))
		fprintf(writer->file, "%.10g", value);
	else
		fputs("null", writer->file);
}

static void write_value(const struct writer *writer, const struct changes_value *value)
{
	const struct statistics_change *change = &value->change;
	const double list[] = { change->mean[0], change->mean[1],      change->low,
				change->high,	 change->relative_low, change->relative_high };

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		fputs(i ? "," : "[", writer->file);
		number(writer, list[i]);
	}
	fprintf(writer->file, ",%d,%d]", value->tested, value->sure);
}

static uint32_t number_of(struct writer *writer, const char *name)
{
	uint32_t found = string_table_intern(&writer->names, name, strlen(name));

	if (!found)
		writer->failed = true;
	return found ? found - 1 : 0;
}

static void write_sides(const struct writer *writer, const char *const words[2])
{
	for (int side = 0; side < 2; side++) {
		fputs(side ? "," : "[", writer->file);
		text(writer, words[side]);
	}
	putc_unlocked(']', writer->file);
}

static void write_runs(const struct writer *writer, const struct comparison_measure *measure)
{
	fputs(",\"runs\":[", writer->file);
	for (int side = 0; side < 2; side++) {
		fputs(side ? ",[" : "[", writer->file);
		for (size_t i = 0; i < writer->comparison->runs[side]; i++) {
			fputs(i ? "," : "", writer->file);
			number(writer, measure->value[side][i]);
		}
		putc_unlocked(']', writer->file);
	}
	fputs("],\"drift\":[", writer->file);
	for (int side = 0; side < 2; side++) {
		fputs(side ? ",[" : "[", writer->file);
		number(writer, measure->drift[side].relative);
		putc_unlocked(',', writer->file);
		number(writer, measure->drift[side].chance);
		putc_unlocked(']', writer->file);
	}
	fprintf(writer->file, "],\"outliers\":[%ld,%ld]", measure->outliers[0],
		measure->outliers[1]);
}

static void write_measures(const struct writer *writer)
{
	const struct comparison *comparison = writer->comparison;

	fputs(",\n\"measures\":[", writer->file);
	for (size_t i = 0; i < comparison->measure_count; i++) {
		const struct comparison_measure *measure = &comparison->measures[i];

		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", writer->file);
		text(writer, measure->name);
		fputs(",\"unit\":", writer->file);
		text(writer, measure->unit);
		fprintf(writer->file,
			",\"context\":%s,\"value\":", measure->context ? "true" : "false");
		write_value(writer, &measure->result);
		write_runs(writer, measure);
		putc_unlocked('}', writer->file);
	}
	putc_unlocked(']', writer->file);
}

static void write_functions(struct writer *writer, const struct changes *changes,
			    const struct difference_limits *limits)
{
	bool first = true;

	fputs(",\n\"functions\":[", writer->file);
	for (size_t i = 0; i < changes->count; i++) {
		const struct changes_function *function = &changes->functions[i];

		if (!difference_limits_function(limits, changes, function))
			continue;
		fprintf(writer->file, "%s%" PRIu32 ",", first ? "" : ",\n",
			number_of(writer, function->name));
		first = false;
		write_value(writer, &function->self);
		putc_unlocked(',', writer->file);
		write_value(writer, &function->total);
	}
	putc_unlocked(']', writer->file);
}

static size_t depth_of(const struct frame *frame)
{
	size_t depth = 0;

	while ((frame = frame->parent))
		depth++;
	return depth;
}

static void write_frames(struct writer *writer, const struct graph_diff *diff,
			 const struct difference_limits *limits)
{
	const struct frame *frame = frame_tree_root(tree_changes_tree(diff->changes));
	size_t open = 0; /* levels that were entered and not left */

	fputs(",\n\"frames\":[", writer->file);
	for (; frame; frame = difference_limits_next(limits, diff->changes, frame)) {
		size_t depth = depth_of(frame);

		fprintf(writer->file, "%s%zu,%" PRIu32, open ? ",\n" : "", open - depth,
			depth ? number_of(writer, frame->name) : 0);
		graph_diff_frame_json(diff, tree_changes_of(diff->changes, frame), writer->file);
		open = depth + 1;
	}
	putc_unlocked(']', writer->file);
}

static void write_counter(struct writer *writer, const struct comparison_counter *counter,
			  const struct tree_changes *tree, const struct difference_limits *limits)
{
	const struct changes *changes = &counter->changes;
	const struct graph_diff diff = { tree, RUNS_AFTER,
					 changes->has_intervals ? changes->alpha : 0 };
	char method[COMPARISON_SENTENCE_BYTES];

	fputs("{\"name\":", writer->file);
	text(writer, comparison_counter_name(counter));
	fputs(",\"unit\":", writer->file);
	text(writer, counter->unit);
	comparison_method(method, changes);
	fputs(",\"method\":", writer->file);
	text(writer, method);
	fputs(",\n\"whole\":", writer->file);
	write_value(writer, &changes->at_pace); /* of which functions are shares */
	fputs(",\"noise\":", writer->file);
	write_value(writer, &changes->noise);
	write_functions(writer, changes, limits);
	if (tree) {
		graph_diff_json(&diff, writer->file);
		write_frames(writer, &diff, limits);
	}
	putc_unlocked('}', writer->file);
}

/* Write one sentence of the verdict. */
static void sentence(const struct writer *writer, bool first, const char *words)
{
	fputs(first ? "" : ",", writer->file);
	text(writer, words);
}

/* The first measure, which is wall time, and the whole of the first counter; without measures that
 * of each counter. */
static void write_verdict(const struct writer *writer)
{
	const struct comparison *comparison = writer->comparison;
	size_t counters = comparison->counter_count;
	char words[COMPARISON_SENTENCE_BYTES];
	bool first = true;

	fputs(",\n\"verdict\":[", writer->file);
	for (size_t i = 0; first && i < comparison->measure_count; i++) {
		if (comparison->measures[i].context)
			continue;
		comparison_sentence(words, comparison->measures[i].name,
				    &comparison->measures[i].result, comparison->alpha);
		sentence(writer, first, words);
		first = false;
	}
	if (!first && counters > 1)
		counters = 1;
	for (size_t i = 0; i < counters; i++) {
		const struct comparison_counter *counter = &comparison->counters[i];

		comparison_counter_sentence(words, counter, &counter->changes.whole);
		sentence(writer, first, words);
		first = false;
	}
	putc_unlocked(']', writer->file);
}

/* Write one note. */
static void note(const struct writer *writer, bool *first, const char *words)
{
	fputs(*first ? "" : ",\n", writer->file);
	safe_text_json_lines(writer->file, words, strlen(words));
	*first = false;
}

static void note_pace(const struct writer *writer, bool *first,
		      const struct comparison_counter *counter)
{
	char words[COMPARISON_SENTENCE_BYTES], both[2 * COMPARISON_SENTENCE_BYTES];
	const char *beside = comparison_pace(words, counter);

	if (!beside)
		return;
	snprintf(both, sizeof(both), "%s. %s.", words, beside);
	note(writer, first, both);
}

static void write_notes(const struct writer *writer)
{
	const struct comparison *comparison = writer->comparison;
	const char *caution = comparison->counter_count
				      ? comparison_caution(comparison->counters[0].changes.method)
				      : NULL;
	char words[COMPARISON_SENTENCE_BYTES];
	bool first = true;

	fputs(",\n\"notes\":[", writer->file);
	if (caution)
		note(writer, &first, caution);
	for (size_t i = 0; i < comparison->counter_count; i++)
		note_pace(writer, &first, &comparison->counters[i]);
	for (size_t i = 0; i < comparison->note_count; i++)
		note(writer, &first, comparison->notes[i]);
	for (size_t i = 0; i < comparison->counter_count; i++) {
		difference_limits_tell(&writer->limits[i], comparison->counters[i].name, words,
				       sizeof(words));
		if (*words)
			note(writer, &first, words);
	}
	putc_unlocked(']', writer->file);
}

static void write_names(struct writer *writer)
{
	const char **list = calloc(writer->names.count + 1, sizeof(*list));
	struct graph_names names = { list, writer->names.count };

	if (!list) {
		writer->failed = true;
		return;
	}
	for (uint32_t i = 0; i < writer->names.count; i++)
		list[i] = string_table_text(&writer->names, i + 1);
	graph_names_kinds(writer->file);
	graph_names_write(&names, NULL, NULL, writer->file);
	free(list);
}

/* Returns the limits of each counter, to be freed; NULL when memory is out. */
static struct difference_limits *find_limits(const struct comparison *comparison,
					     const struct tree_changes *const *trees)
{
	size_t count = comparison->counter_count;
	struct difference_limits *limits = calloc(count + 1, sizeof(*limits));

	for (size_t i = 0; limits && i < count; i++)
		limits[i] = difference_limits_find(&comparison->counters[i].changes,
						   trees ? trees[i] : NULL, count);
	return limits;
}

int difference_page_json(const struct comparison *comparison,
			 const struct tree_changes *const *trees, FILE *file)
{
	struct writer writer = { .comparison = comparison,
				 .limits = find_limits(comparison, trees),
				 .file = file };

	if (!writer.limits)
		return -ENOMEM;
	number_of(&writer, "all");
	fputs("{\"format\":1,\n\"labels\":", file);
	write_sides(&writer, comparison->label);
	fprintf(file, ",\"runs\":[%zu,%zu],\"paired\":%s,\"confidence\":", comparison->runs[0],
		comparison->runs[1], comparison->paired ? "true" : "false");
	number(&writer, 100 * (1 - comparison->alpha));
	write_verdict(&writer);
	write_notes(&writer);
	write_measures(&writer);
	fputs(",\n\"counters\":[", file);
	for (size_t i = 0; i < comparison->counter_count; i++) {
		fputs(i ? ",\n" : "\n", file);
		write_counter(&writer, &comparison->counters[i], trees ? trees[i] : NULL,
			      &writer.limits[i]);
	}
	putc_unlocked(']', file);
	write_names(&writer);
	fputs("}\n", file);
	string_table_free(&writer.names);
	free(writer.limits);
	return writer.failed ? -ENOMEM : 0;
}
