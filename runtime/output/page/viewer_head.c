/* Members come in the order of viewer_data.h. */
#include "runtime/output/page/viewer_parts.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/profile/base/json.h"
#include "runtime/output/graph/graph_color.h"
#include "runtime/profile/time/timeline.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/spool/spool_settings.h"

#define TITLE_BYTES    512
#define TIMELESS_TRACK "[without a time]"
#define NOTE_BYTES     1024
#define BEFORE_LEAST   100 /* part of the CPU time */

static const struct timeline *timeline_of(const struct viewer_data *data)
{
	return data->samples.timeline;
}

static const char *text_of(const struct viewer_data *data, uint32_t number)
{
	return string_table_text(&profile_merge(data->profile)->strings, number);
}

void viewer_head_title(const struct viewer_data *data, char *text, size_t bytes)
{
	notes_command(data->profile, text, bytes);
	if (!text[0])
		snprintf(text, bytes, "flametrap");
}

static void write_note(struct json *json, const char *text)
{
	json_line(json);
	json_text(json, NULL, text);
}

static void count_note(struct json *json, uint64_t count, const char *text)
{
	char line[NOTE_BYTES];

	if (!count)
		return;
	snprintf(line, sizeof(line), "%" PRIu64 " sample%s %s", count, count == 1 ? "" : "s", text);
	write_note(json, line);
}

/* Folded stacks do not say how they were sampled. */
static void note_counters(struct json *json, const struct viewer_data *data)
{
	if (!profile_summary(data->profile)->spools)
		return;
	for (unsigned i = 0; i < data->samples.counters; i++) {
		struct notes notes;

		notes_make(&notes, data->profile, data->samples.counter[i], data->weight);
		write_note(json, notes.notes);
	}
}

/* Counters without samples are not on the page, but their lack is said. */
static void note_unknown(struct json *json, const struct viewer_data *data)
{
	char unknown[NOTE_BYTES - 128], line[NOTE_BYTES];

	for (unsigned i = 0; i < profile_counter_count(data->profile); i++) {
		const struct profile_total total = profile_total(data->profile, i);

		if (!lacks_text(&total.lacks, unknown, sizeof(unknown)))
			continue;
		snprintf(line, sizeof(line), "%.*s is %s.", SPOOL_NAME_MAX,
			 profile_counter(data->profile, i)->name, unknown);
		write_note(json, line);
	}
}

/* Every program has a loader: its time is worth a line if it is a part of the whole. */
static void note_before(struct json *json, const struct profile *profile)
{
	const struct profile_summary *summary = profile_summary(profile);
	char before[NOTE_BYTES - 128], line[NOTE_BYTES];

	if (summary->before_ns < summary->cpu_ns / BEFORE_LEAST ||
	    !notes_before(profile, before, sizeof(before)))
		return;
	snprintf(line, sizeof(line), "Not sampled: %s.", before);
	write_note(json, line);
}

/* How the profile was sampled, and what it lacks: one note for each counter, then whole sentences.
 */
static void write_notes(const struct viewer_data *data, struct json *json)
{
	const struct viewer_samples *samples = &data->samples;
	const struct timeline *timeline = samples->timeline;
	char line[NOTE_BYTES];

	note_counters(json, data);
	note_unknown(json, data);
	note_before(json, data->profile);
	if (timeline == &samples->moment)
		write_note(json, "The profile has no times: all samples are at one moment.");
	else if (timeline->partial)
		write_note(json, "A part of the profile has no times: its samples are at the "
				 "beginning.");
	count_note(json, timeline->dropped,
		   "had no place in the timeline and are at the beginning.");
	count_note(json, timeline->thinned,
		   "were joined with others because the timeline was full (FLAMETRAP_TIMELINE): "
		   "sums are exact, stacks in a part of the time are estimates.");
	count_note(json, samples->joined,
		   "were joined with others to keep this page small: sums are exact, stacks in a "
		   "part of the time are estimates. --format html keeps all samples.");
	if (notes_interpreted(data->profile, line, sizeof(line) - 1)) {
		strcat(line, ".");
		write_note(json, line);
	}
}

static void write_run(const struct viewer_data *data, struct json *json)
{
	const struct timeline *timeline = timeline_of(data);
	char text[TITLE_BYTES];

	json_line(json);
	viewer_head_title(data, text, sizeof(text));
	json_text(json, "title", text);
	notes_command(data->profile, text, sizeof(text));
	json_text(json, "command", text);
	json_text(json, "host", text_of(data, timeline->processes[0].host));
	json_list(json, "notes");
	write_notes(data, json);
	json_end(json, "]");
	json_line(json);
	json_members(json, "realtimeMs:%lu unitNs:%lu from:%u to:%u",
		     timeline->zero_realtime_ns / 1000000, UINT64_C(1) << data->shift,
		     viewer_parts_time(data, timeline->from_ns),
		     viewer_parts_time(data, data->end_ns));
}

static void write_counters(const struct viewer_data *data, struct json *json)
{
	json_list(json, "counters");
	for (unsigned i = 0; i < data->samples.counters; i++) {
		unsigned counter = data->samples.counter[i];
		const struct spool_counter *about = profile_counter(data->profile, counter);
		bool events = spool_settings_weigh_events(about, data->weight);
		bool off_cpu = about->flags & SPOOL_COUNTER_OFF_CPU;

		json_line(json);
		json_record(json, NULL, "name:%s unit:%s weight:%s period:%lu offCpu:%hhd",
			    about->name, about->unit == SPOOL_UNIT_NS ? "ns" : "",
			    events ? "events" : "samples", profile_period(data->profile, counter),
			    off_cpu);
	}
	json_end(json, "]");
}

static void write_processes(const struct viewer_data *data, struct json *json)
{
	const struct timeline *timeline = timeline_of(data);

	json_list(json, "processes");
	for (uint32_t i = 0; i < timeline->process_count; i++) {
		const struct timeline_process *process = &timeline->processes[i];

		json_line(json);
		json_record(json, NULL, "pid:%u parent:%u name:%s host:%s start:%u end:%u",
			    process->pid, process->parent_pid,
			    text_of(data,
				    process->command ? process->command : process->executable),
			    text_of(data, process->host),
			    viewer_parts_time(data, process->start_ns),
			    viewer_parts_time(data, process->end_ns));
	}
	json_end(json, "]");
}

static void write_track(const struct viewer_data *data, const struct timeline_track *track,
			const char *name, struct json *json)
{
	json_line(json);
	json_record(json, NULL, "process:%u tid:%u name:%s start:%u end:%u", track->process,
		    track->tid, name, viewer_parts_time(data, track->start_ns),
		    viewer_parts_time(data, track->end_ns));
}

static void write_tracks(const struct viewer_data *data, struct json *json)
{
	const struct timeline *timeline = timeline_of(data);
	const struct timeline_track timeless = { .start_ns = timeline->from_ns,
						 .end_ns = timeline->from_ns };

	json_list(json, "tracks");
	for (uint32_t i = 0; i < timeline->track_count; i++)
		write_track(data, &timeline->tracks[i], text_of(data, timeline->tracks[i].name),
			    json);
	if (data->samples.timeless == timeline->track_count)
		write_track(data, &timeless, TIMELESS_TRACK, json);
	json_end(json, "]");
}

static void write_labels(const struct viewer_data *data, struct json *json)
{
	const struct timeline *timeline = timeline_of(data);

	json_list(json, "labels");
	for (uint32_t i = 0; i < timeline->label_count; i++) {
		const struct timeline_label *label = &timeline->labels[i];

		json_line(json);
		json_record(json, NULL, "below:%u key:%s value:%s", label->below,
			    text_of(data, label->key), text_of(data, label->value));
	}
	json_end(json, "]");
}

/* What a mark is about: a module, a counter, or what its value says. */
static void mark_text(const struct viewer_data *data, const struct timeline_mark *mark,
		      struct json *json)
{
	const char *text = text_of(data, mark->text);
	char more[64];

	if (mark->kind == SPOOL_MARK_FORK && mark->value)
		snprintf(more, sizeof(more), "%s%" PRIu64, *text ? " " : "", mark->value);
	else if (mark->kind == SPOOL_MARK_EXEC_FAILED)
		snprintf(more, sizeof(more), "%serror %" PRIu64, *text ? ": " : "", mark->value);
	else if (mark->kind == SPOOL_MARK_SLOWER)
		snprintf(more, sizeof(more), "%severy %" PRIu64, *text ? ", " : "",
			 mark->value >> 4);
	else
		more[0] = '\0';
	json_text_begin(json, "text");
	json_part(json, text);
	json_part(json, more);
	json_text_end(json);
}

static void write_marks(const struct viewer_data *data, struct json *json)
{
	const struct timeline *timeline = timeline_of(data);

	json_list(json, "marks");
	for (size_t i = 0; i < timeline->mark_count; i++) {
		const struct timeline_mark *mark = &timeline->marks[i];
		const char *kind = timeline_mark_name(mark->kind);

		if (!kind)
			continue;
		json_row(json);
		json_uint(json, "time", viewer_parts_time(data, mark->time_ns));
		json_text(json, "kind", kind);
		json_uint(json, "process", mark->process);
		json_int(json, "track", mark->track == TIMELINE_NONE ? -1 : (int64_t)mark->track);
		mark_text(data, mark, json);
		json_end(json, "}");
	}
	json_end(json, "]");
}

static void write_modules(const struct viewer_data *data, struct json *json)
{
	json_list(json, "modules");
	for (uint32_t i = 1; i <= data->nodes.modules.count; i++) {
		json_line(json);
		json_text(json, NULL, string_table_text(&data->nodes.modules, i));
	}
	json_end(json, "]");
}

void viewer_head_write(const struct viewer_data *data, const struct viewer_columns *columns,
		       FILE *file)
{
	const struct viewer_nodes *nodes = &data->nodes;
	bool texts = !profile_summary(data->profile)->foreign;
	struct json json = { .file = file };

	json_object(&json, NULL);
	json_uint(&json, "format", 1);
	write_run(data, &json);
	write_counters(data, &json);
	write_processes(data, &json);
	write_tracks(data, &json);
	write_labels(data, &json);
	write_marks(data, &json);
	graph_legend_names(nodes->names, nodes->name_count, NULL, NULL, &json);
	write_modules(data, &json);
	viewer_nodes_waits(nodes, &json);
	viewer_lines_files(&data->lines, texts, &json);
	viewer_code_json(data->code, &data->lines, &json);
	json_line(&json);
	graph_legend_of_names(nodes->names, nodes->name_count, &json);
	viewer_columns_json(columns, &json);
	json_end(&json, "}");
}
