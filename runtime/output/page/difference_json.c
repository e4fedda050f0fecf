/*
 * The JSON text of the page of a comparison.  Names are numbered in order of appearance: first
 * those of the functions, then those of the frames.  The names of a tree have one address each, but
 * those of two counters do not, so names are compared by their text.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/json.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/compare/changes.h"
#include "runtime/compare/comparison.h"
#include "runtime/compare/comparison_words.h"
#include "runtime/compare/tree_changes.h"
#include "runtime/output/graph/graph_diff.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/output/page/difference_draw.h"

#define DIGITS 10

struct writer {
	const struct comparison *comparison;
	struct string_table names;
	struct difference_limits *limits; /* of each counter */
	struct json json;
	bool failed; /* memory was out */
};

static void write_text(struct json *json, const char *key, const char *text)
{
	json_text(json, key, text ? text : "");
}

static void write_value(struct json *json, const char *key, const struct changes_value *value)
{
	const struct statistics_change *change = &value->change;
	const double list[] = { change->mean[0], change->mean[1],      change->low,
				change->high,	 change->relative_low, change->relative_high };

	json_array(json, key);
	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++)
		json_real(json, NULL, list[i], DIGITS);
	json_uint(json, NULL, value->tested);
	json_uint(json, NULL, value->significant);
	json_end(json, "]");
}

static uint32_t number_of(struct writer *writer, const char *name)
{
	uint32_t found = string_table_intern(&writer->names, name, strlen(name));

	if (!found)
		writer->failed = true;
	return found ? found - 1 : 0;
}

static void write_runs(struct json *json, const struct comparison *comparison,
		       const struct comparison_measure *measure)
{
	json_array(json, "runs");
	for (int side = 0; side < 2; side++) {
		json_array(json, NULL);
		for (size_t i = 0; i < comparison->runs[side]; i++)
			json_real(json, NULL, measure->value[side][i], DIGITS);
		json_end(json, "]");
	}
	json_end(json, "]");
	json_array(json, "drift");
	for (int side = 0; side < 2; side++) {
		json_array(json, NULL);
		json_real(json, NULL, measure->drift[side].relative, DIGITS);
		json_real(json, NULL, measure->drift[side].chance, DIGITS);
		json_end(json, "]");
	}
	json_end(json, "]");
	json_array(json, "outliers");
	for (int side = 0; side < 2; side++)
		json_int(json, NULL, measure->outliers[side]);
	json_end(json, "]");
}

static void write_measures(struct json *json, const struct comparison *comparison)
{
	json_list(json, "measures");
	for (size_t i = 0; i < comparison->measure_count; i++) {
		const struct comparison_measure *measure = &comparison->measures[i];

		json_row(json);
		write_text(json, "name", measure->name);
		write_text(json, "unit", measure->unit);
		json_bool(json, "context", measure->context);
		write_value(json, "value", &measure->result);
		write_runs(json, comparison, measure);
		json_end(json, "}");
	}
	json_end(json, "]");
}

static void write_functions(struct writer *writer, const struct changes *changes,
			    const struct difference_limits *limits)
{
	struct json *json = &writer->json;

	json_list(json, "functions");
	for (size_t i = 0; i < changes->count; i++) {
		const struct changes_function *function = &changes->functions[i];

		if (!difference_limits_function(limits, changes, function))
			continue;
		json_next_line(json);
		json_uint(json, NULL, number_of(writer, function->name));
		write_value(json, NULL, &function->self);
		write_value(json, NULL, &function->total);
	}
	json_end(json, "]");
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

	json_list(&writer->json, "frames");
	for (; frame; frame = difference_limits_next(limits, diff->changes, frame)) {
		size_t depth = depth_of(frame);

		json_next_line(&writer->json);
		json_uint(&writer->json, NULL, open - depth);
		json_uint(&writer->json, NULL, depth ? number_of(writer, frame->name) : 0);
		graph_diff_frame_json(diff, tree_changes_of(diff->changes, frame), &writer->json);
		open = depth + 1;
	}
	json_end(&writer->json, "]");
}

static void write_counter(struct writer *writer, const struct comparison_counter *counter,
			  const struct tree_changes *tree, const struct difference_limits *limits)
{
	const struct changes *changes = &counter->changes;
	const struct graph_diff diff = { tree, RUNS_AFTER,
					 changes->has_intervals ? changes->alpha : 0 };
	struct json *json = &writer->json;
	char method[COMPARISON_SENTENCE_BYTES];

	json_row(json);
	write_text(json, "name", comparison_counter_name(counter));
	write_text(json, "unit", counter->unit);
	comparison_method(method, changes);
	json_text(json, "method", method);
	json_line(json);
	write_value(json, "whole", &changes->normalized); /* of which functions are shares */
	write_value(json, "noise", &changes->noise);
	write_functions(writer, changes, limits);
	if (tree) {
		graph_diff_json(&diff, json);
		write_frames(writer, &diff, limits);
	}
	json_end(json, "}");
}

/* The first measure, which is wall time, and the whole of the first counter; without measures that
 * of each counter. */
static void write_verdict(struct json *json, const struct comparison *comparison)
{
	size_t counters = comparison->counter_count;
	char words[COMPARISON_SENTENCE_BYTES];
	bool first = true;

	json_list(json, "verdict");
	for (size_t i = 0; first && i < comparison->measure_count; i++) {
		if (comparison->measures[i].context)
			continue;
		comparison_sentence(words, comparison->measures[i].name,
				    &comparison->measures[i].result, comparison->alpha);
		json_text(json, NULL, words);
		first = false;
	}
	if (!first && counters > 1)
		counters = 1;
	for (size_t i = 0; i < counters; i++) {
		const struct comparison_counter *counter = &comparison->counters[i];

		comparison_counter_sentence(words, counter, &counter->changes.whole);
		json_text(json, NULL, words);
	}
	json_end(json, "]");
}

static void note(struct json *json, const char *words)
{
	json_next_line(json);
	json_lines(json, NULL, words, strlen(words));
}

static void note_normalized(struct json *json, const struct comparison_counter *counter)
{
	char words[COMPARISON_SENTENCE_BYTES], both[2 * COMPARISON_SENTENCE_BYTES];
	const char *beside = comparison_normalized(words, counter);

	if (!beside)
		return;
	snprintf(both, sizeof(both), "%s. %s.", words, beside);
	note(json, both);
}

static void write_notes(struct writer *writer)
{
	const struct comparison *comparison = writer->comparison;
	struct json *json = &writer->json;
	const char *caution = comparison->counter_count
				      ? comparison_caution(comparison->counters[0].changes.method)
				      : NULL;
	char words[COMPARISON_SENTENCE_BYTES];

	json_list(json, "notes");
	if (caution)
		note(json, caution);
	for (size_t i = 0; i < comparison->counter_count; i++)
		note_normalized(json, &comparison->counters[i]);
	for (size_t i = 0; i < comparison->note_count; i++)
		note(json, comparison->notes[i]);
	for (size_t i = 0; i < comparison->counter_count; i++) {
		difference_limits_tell(&writer->limits[i], comparison->counters[i].name, words,
				       sizeof(words));
		if (*words)
			note(json, words);
	}
	json_end(json, "]");
}

static void write_names(struct writer *writer)
{
	const char **list = calloc(writer->names.count + 1, sizeof(*list));

	if (!list) {
		writer->failed = true;
		return;
	}
	for (uint32_t i = 0; i < writer->names.count; i++)
		list[i] = string_table_text(&writer->names, i + 1);
	graph_legend_names(list, writer->names.count, NULL, NULL, &writer->json);
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

static void write_sides(struct json *json, const struct comparison *comparison)
{
	json_list(json, "labels");
	for (int side = 0; side < 2; side++)
		write_text(json, NULL, comparison->label[side]);
	json_end(json, "]");
	json_array(json, "runs");
	for (int side = 0; side < 2; side++)
		json_uint(json, NULL, comparison->runs[side]);
	json_end(json, "]");
	json_bool(json, "paired", comparison->paired);
	json_real(json, "confidence", 100 * (1 - comparison->alpha), DIGITS);
}

int difference_json(const struct comparison *comparison, const struct tree_changes *const *trees,
		    FILE *file)
{
	struct writer writer = { .comparison = comparison,
				 .limits = find_limits(comparison, trees),
				 .json = { .file = file } };
	struct json *json = &writer.json;

	if (!writer.limits)
		return -ENOMEM;
	number_of(&writer, "all");
	json_object(json, NULL);
	json_uint(json, "format", 1);
	write_sides(json, comparison);
	write_verdict(json, comparison);
	write_notes(&writer);
	write_measures(json, comparison);
	json_list(json, "counters");
	for (size_t i = 0; i < comparison->counter_count; i++)
		write_counter(&writer, &comparison->counters[i], trees ? trees[i] : NULL,
			      &writer.limits[i]);
	json_end(json, "]");
	write_names(&writer);
	json_end(json, "}");
	putc_unlocked('\n', file);
	string_table_free(&writer.names);
	free(writer.limits);
	return writer.failed ? -ENOMEM : 0;
}
