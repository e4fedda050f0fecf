/*
 * Samples and weights are two arrays, each made by a walk of its own over the same rows.  Samples
 * of one stack that follow each other are one row.
 */
#include "runtime/output/formats/speedscope.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/json.h"
#include "runtime/profile/base/string_table.h"
#include "runtime/output/formats/timed.h"
#include "runtime/profile/tree/call_tree.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/profile.h"

struct speedscope_timed {
	struct timed timed;
	const struct call_tree *calls;
	uint32_t *frame_of; /* by node: the number of its frame; 0: not used */
	uint32_t *path;	    /* room for the frames of one stack */
	uint32_t left_out;  /* index of the frame that stands for others; set if it is needed */
};

struct row {
	uint32_t node; /* CALL_TREE_ROOT: a gap */
	uint64_t weight;
};

struct rows {
	const struct timed *timed;
	const size_t *order;
	size_t count;
	size_t at;
	uint64_t now; /* on the axis */
	bool in_time; /* the axis is the time of the run */
};

/* Give numbers to the frames of a stack, up to the first that has one. */
static int number_stack(struct speedscope_timed *timed, uint32_t node, struct string_table *frames)
{
	for (; node != CALL_TREE_ROOT && !timed->frame_of[node];
	     node = call_tree_node(timed->calls, node).parent) {
		uint32_t name = call_tree_node(timed->calls, node).name;

		timed->frame_of[node] =
			string_table_intern(frames, string_table_text(timed->timed.strings, name),
					    string_table_length(timed->timed.strings, name));
		if (!timed->frame_of[node])
			return -ENOMEM;
	}
	return 0;
}

static int number_all(struct speedscope_timed *timed, struct string_table *frames)
{
	const struct timeline *timeline = timed->timed.timeline;
	uint32_t nodes = call_tree_count(timed->calls);
	size_t deepest = 0;
	int err = 0;

	for (uint32_t i = 0; i < nodes; i++)
		if (call_tree_node(timed->calls, i).depth > deepest)
			deepest = call_tree_node(timed->calls, i).depth;
	if (deepest > SPEEDSCOPE_STACK_MAX) {
		timed->left_out = string_table_intern(frames, SPEEDSCOPE_STACK_LEFT_OUT,
						      strlen(SPEEDSCOPE_STACK_LEFT_OUT)) -
				  1;
		err = timed->left_out == UINT32_MAX ? -ENOMEM : 0;
	}
	timed->path = calloc(deepest + 1, sizeof(*timed->path));
	timed->frame_of = calloc((size_t)nodes + 1, sizeof(*timed->frame_of));
	if (!timed->path || !timed->frame_of)
		return -ENOMEM;
	for (size_t i = 0; !err && i < timeline->sample_count; i++)
		err = number_stack(timed, timeline->samples[i].node, frames);
	return err;
}

static bool is_time(const struct timed *timed, unsigned counter)
{
	return profile_counter(timed->profile, counter)->unit == SPOOL_UNIT_NS;
}

int speedscope_timed_new(const struct profile *profile, enum settings_weight weight,
			 struct string_table *frames, struct speedscope_timed **result)
{
	struct speedscope_timed *timed = calloc(1, sizeof(*timed));
	int err;

	if (!timed)
		return -ENOMEM;
	timed->calls = profile_merge(profile)->calls;
	err = timed_open(&timed->timed, profile, weight);
	for (unsigned i = 0; !err && weight != SETTINGS_WEIGHT_SAMPLES && i < timed->timed.counters;
	     i++)
		timed->timed.weigh_events[i] |= is_time(&timed->timed, i);
	if (!err)
		err = number_all(timed, frames);
	if (err)
		speedscope_timed_free(timed);
	else
		*result = timed;
	return err;
}

void speedscope_timed_free(struct speedscope_timed *timed)
{
	if (!timed)
		return;
	timed_free(&timed->timed);
	free(timed->frame_of);
	free(timed->path);
	free(timed);
}

bool speedscope_timed_is_complete(const struct speedscope_timed *timed)
{
	return !timed->timed.timeline->dropped;
}

static const struct timeline_sample *sample_at(const struct rows *rows)
{
	return &rows->timed->timeline->samples[rows->order[rows->at]];
}

/* Returns true, with its row, if there is a gap before `until_ns`. */
static bool take_gap(struct rows *rows, uint64_t until_ns, struct row *row)
{
	if (!rows->in_time || until_ns <= rows->now)
		return false;
	*row = (struct row){ CALL_TREE_ROOT, until_ns - rows->now };
	rows->now = until_ns;
	return true;
}

static bool next_row(struct rows *rows, struct row *row)
{
	const struct timeline *timeline = rows->timed->timeline;

	if (rows->at == rows->count)
		return take_gap(rows, timeline->end_ns, row);
	if (take_gap(rows, timed_begin(sample_at(rows)), row))
		return true;
	*row = (struct row){ .node = sample_at(rows)->node };
	do {
		row->weight += timed_value(rows->timed, sample_at(rows));
		rows->now += timed_value(rows->timed, sample_at(rows));
		rows->at++;
	} while (rows->at < rows->count && sample_at(rows)->node == row->node &&
		 !(rows->in_time && timed_begin(sample_at(rows)) > rows->now));
	return true;
}

static struct rows rows_of(const struct timed *timed, uint32_t track, unsigned counter)
{
	struct rows rows = { .timed = timed };

	rows.order = timed_samples(timed, track, counter, &rows.count);
	rows.in_time = is_time(timed, counter) && timed->weigh_events[counter];
	rows.now = rows.in_time ? timed->timeline->from_ns : 0;
	return rows;
}

static void write_stack(const struct speedscope_timed *timed, uint32_t node, struct json *json)
{
	size_t depth = call_tree_node(timed->calls, node).depth;

	for (size_t at = depth; at; node = call_tree_node(timed->calls, node).parent)
		timed->path[--at] = timed->frame_of[node] - 1;
	speedscope_stack_write(timed->path, depth, timed->left_out, json);
}

/* Write "task-clock: xz/4711". */
static void write_name(const struct timed *timed, uint32_t number, unsigned counter,
		       struct json *json)
{
	const struct timeline_track *track = &timed->timeline->tracks[number];
	const char *thread = timed_text(timed, track->name);
	char name[1024];

	snprintf(name, sizeof(name), "%s: %s/%" PRIu32,
		 profile_counter(timed->profile, counter)->name,
		 thread[0] ? thread : "[nameless thread]", track->tid);
	json_text(json, "name", name);
}

static void write_profile(const struct speedscope_timed *timed, uint32_t track, unsigned counter,
			  struct json *json)
{
	struct rows rows = rows_of(&timed->timed, track, counter);
	struct rows again = rows;
	struct row row;

	json_row(json);
	json_text(json, "type", "sampled");
	write_name(&timed->timed, track, counter, json);
	json_text(json, "unit", rows.in_time ? "nanoseconds" : "none");
	json_uint(json, "startValue", rows.now);
	json_array(json, "samples");
	while (next_row(&rows, &row)) {
		json_line(json);
		write_stack(timed, row.node, json);
	}
	json_end(json, "]");
	json_line(json);
	json_uint(json, "endValue", rows.now);
	json_array(json, "weights");
	while (next_row(&again, &row))
		json_uint(json, NULL, row.weight);
	json_end(json, "]}");
}

/* A thread that a counter says nothing of has no profile of it. */
static bool has_value(const struct timed *timed, uint32_t track, unsigned counter)
{
	size_t count;
	const size_t *order = timed_samples(timed, track, counter, &count);

	for (size_t i = 0; i < count; i++)
		if (timed_value(timed, &timed->timeline->samples[order[i]]))
			return true;
	return false;
}

unsigned speedscope_timed_write(const struct speedscope_timed *timed, struct json *json)
{
	unsigned written = 0;

	for (unsigned c = 0; c < timed->timed.counters; c++)
		for (uint32_t i = 0; i < timed->timed.timeline->track_count; i++) {
			if (!has_value(&timed->timed, i, c))
				continue;
			write_profile(timed, i, c, json);
			written++;
		}
	return written;
}
