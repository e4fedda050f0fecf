/*
 * Members come in the order of viewer_data.h.
 */
#include "runtime/output/page/viewer_head.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "runtime/profile/base/safe_text.h"
#include "runtime/output/graph/graph_legend.h"
#include "runtime/output/graph/graph_names.h"
#include "runtime/profile/time/mark_name.h"
#include "runtime/profile/merge/profile_trees.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/output/page/viewer_code.h"
#include "runtime/output/page/viewer_columns.h"
#include "runtime/output/page/viewer_notes.h"
#include "runtime/output/page/viewer_parts.h"
#include "runtime/spool/spool_settings.h"

#define TITLE_BYTES    512
#define TIMELESS_TRACK "[without a time]"

static const struct timeline *timeline_of(const struct viewer_data *data)
{
	return data->samples.timeline;
}

static const char *text_of(const struct viewer_data *data, uint32_t number)
{
	return string_table_text(&profile_merge(data->profile)->strings, number);
}

static void write_text(FILE *file, const char *key, const char *text)
{
	fprintf(file, "\"%s\":", key);
	safe_text_json(file, text, strlen(text));
}

static void write_number(const struct viewer_data *data, const char *key, uint32_t number,
			 FILE *file)
{
	putc_unlocked(',', file);
	write_text(file, key, text_of(data, number));
}

static void write_span(const struct viewer_data *data, uint64_t start_ns, uint64_t end_ns,
		       FILE *file)
{
	fprintf(file, ",\"start\":%" PRIu32 ",\"end\":%" PRIu32 "}",
		viewer_parts_time(data, start_ns), viewer_parts_time(data, end_ns));
}

void viewer_head_title(const struct viewer_data *data, char *text, size_t bytes)
{
	notes_command(data->profile, text, bytes);
	if (!text[0])
		snprintf(text, bytes, "flametrap");
}

static void write_run(const struct viewer_data *data, FILE *file)
{
	const struct timeline *timeline = timeline_of(data);
	char text[TITLE_BYTES];

	viewer_head_title(data, text, sizeof(text));
	write_text(file, "title", text);
	notes_command(data->profile, text, sizeof(text));
	putc_unlocked(',', file);
	write_text(file, "command", text);
	write_number(data, "host", timeline->processes[0].host, file);
	fputs(",\n\"notes\":[", file);
	viewer_notes_write(data, file);
	fprintf(file, "],\n\"realtimeMs\":%" PRIu64 ",\"unitNs\":%" PRIu64,
		timeline->zero_realtime_ns / 1000000, UINT64_C(1) << data->shift);
	fprintf(file, ",\"from\":%" PRIu32 ",\"to\":%" PRIu32,
		viewer_parts_time(data, timeline->from_ns), viewer_parts_time(data, data->end_ns));
}

static void write_counters(const struct viewer_data *data, FILE *file)
{
	fputs(",\n\"counters\":[", file);
	for (unsigned i = 0; i < data->samples.counters; i++) {
		unsigned counter = data->samples.counter[i];
		const struct spool_counter *about = profile_counter(data->profile, counter);
		bool off_cpu = about->flags & SPOOL_COUNTER_OFF_CPU;
		bool events = spool_settings_weigh_events(about, data->weight);

		fputs(i ? ",\n{" : "\n{", file);
		write_text(file, "name", about->name);
		fprintf(file, ",\"unit\":\"%s\",\"weight\":\"%s\",\"period\":%" PRIu64,
			about->unit == SPOOL_UNIT_NS ? "ns" : "", events ? "events" : "samples",
			profile_period(data->profile, counter));
		fprintf(file, ",\"offCpu\":%s}", off_cpu ? "true" : "false");
	}
	putc_unlocked(']', file);
}

static void write_processes(const struct viewer_data *data, FILE *file)
{
	const struct timeline *timeline = timeline_of(data);

	fputs(",\n\"processes\":[", file);
	for (uint32_t i = 0; i < timeline->process_count; i++) {
		const struct timeline_process *process = &timeline->processes[i];

		fprintf(file, "%s{\"pid\":%" PRIu32 ",\"parent\":%" PRIu32, i ? ",\n" : "\n",
			process->pid, process->parent_pid);
		write_number(data, "name",
			     process->command ? process->command : process->executable, file);
		write_number(data, "host", process->host, file);
		write_span(data, process->start_ns, process->end_ns, file);
	}
	putc_unlocked(']', file);
}

static void write_tracks(const struct viewer_data *data, FILE *file)
{
	const struct timeline *timeline = timeline_of(data);

	fputs(",\n\"tracks\":[", file);
	for (uint32_t i = 0; i < timeline->track_count; i++) {
		const struct timeline_track *track = &timeline->tracks[i];

		fprintf(file, "%s{\"process\":%" PRIu32 ",\"tid\":%" PRIu32, i ? ",\n" : "\n",
			track->process, track->tid);
		write_number(data, "name", track->name, file);
		write_span(data, track->start_ns, track->end_ns, file);
	}
	if (data->samples.timeless == timeline->track_count) {
		fputs(",\n{\"process\":0,\"tid\":0,\"name\":\"" TIMELESS_TRACK "\"", file);
		write_span(data, timeline->from_ns, timeline->from_ns, file);
	}
	putc_unlocked(']', file);
}

static void write_labels(const struct viewer_data *data, FILE *file)
{
	const struct timeline *timeline = timeline_of(data);

	fputs(",\n\"labels\":[", file);
	for (uint32_t i = 0; i < timeline->label_count; i++) {
		const struct timeline_label *label = &timeline->labels[i];

		fprintf(file, "%s{\"below\":%" PRIu32, i ? ",\n" : "\n", label->below);
		write_number(data, "key", label->key, file);
		write_number(data, "value", label->value, file);
		putc_unlocked('}', file);
	}
	putc_unlocked(']', file);
}

/* What a mark is about: a module, a counter, or what its value says. */
static void mark_text(const struct viewer_data *data, const struct timeline_mark *mark, FILE *file)
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
	putc_unlocked('"', file);
	safe_text_json_part(file, text, strlen(text));
	fprintf(file, "%s\"", more);
}

static void write_marks(const struct viewer_data *data, FILE *file)
{
	const struct timeline *timeline = timeline_of(data);
	bool first = true;

	fputs(",\n\"marks\":[", file);
	for (size_t i = 0; i < timeline->mark_count; i++) {
		const struct timeline_mark *mark = &timeline->marks[i];
		const char *kind = mark_name(mark->kind);

		if (!kind)
			continue;
		fprintf(file, "%s{\"time\":%" PRIu32 ",\"kind\":\"%s\",\"process\":%" PRIu32,
			first ? "\n" : ",\n", viewer_parts_time(data, mark->time_ns), kind,
			mark->process);
		fprintf(file, ",\"track\":%" PRId64 ",\"text\":",
			mark->track == TIMELINE_NONE ? -1 : (int64_t)mark->track);
		mark_text(data, mark, file);
		putc_unlocked('}', file);
		first = false;
	}
	putc_unlocked(']', file);
}

static void write_modules(const struct viewer_data *data, FILE *file)
{
	fputs(",\n\"modules\":[", file);
	for (uint32_t i = 0; i < data->nodes.module_count; i++) {
		fputs(i ? ",\n" : "\n", file);
		safe_text_json(file, data->nodes.modules[i], strlen(data->nodes.modules[i]));
	}
	putc_unlocked(']', file);
}

static void write_legend(const struct graph_names *names, FILE *file)
{
	struct graph_legend legend = { .count = 0 };

	graph_names_legend(names, &legend);
	fputs(",\n\"legend\":", file);
	graph_legend_json(&legend, file);
}

void viewer_head_write(const struct viewer_data *data, const struct viewer_columns *columns,
		       FILE *file)
{
	const struct graph_names names = { data->nodes.names, data->nodes.name_count };
	bool texts = !profile_summary(data->profile)->foreign;

	fputs("{\"format\":1,\n", file);
	write_run(data, file);
	write_counters(data, file);
	write_processes(data, file);
	write_tracks(data, file);
	write_labels(data, file);
	write_marks(data, file);
	graph_names_write(&names, NULL, NULL, file);
	graph_names_kinds(file);
	write_modules(data, file);
	viewer_waits_json(&data->waits, file);
	viewer_lines_files(&data->lines, texts, file);
	viewer_code_json(data->code, &data->lines, file);
	write_legend(&names, file);
	viewer_columns_json(columns, file);
	putc_unlocked('}', file);
}
