/*
 * Names may hold any bytes; both formats are written as valid UTF-8.
 */
#include "runtime/output/report/report_data.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/tree/functions.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/merge/ratios.h"
#include "runtime/output/report/callers.h"
#include "runtime/output/report/report_load.h"

static void json_text(FILE *file, const char *text)
{
	safe_text_json(file, text, strlen(text));
}

static void json_number(FILE *file, const char *key, uint64_t value)
{
	fprintf(file, ",\"%s\":%llu", key, (unsigned long long)value);
}

static void csv_text(FILE *file, const char *text)
{
	putc('"', file);
	for (;;) {
		size_t length = strcspn(text, "\"");

		safe_text_plain(file, text, length);
		if (!text[length])
			break;
		fputs("\"\"", file);
		text += length + 1;
	}
	putc('"', file);
}

static void csv_number(FILE *file, const uint64_t *value)
{
	putc(',', file);
	if (value)
		fprintf(file, "%llu", (unsigned long long)*value);
}

static void csv_percent(FILE *file, const uint64_t *part, uint64_t whole)
{
	putc(',', file);
	if (part)
		fprintf(file, "%.4f", maths_percent(*part, whole));
}

static void csv_start(const struct report_data *data, const char *kind, const char *name)
{
	csv_text(data->file, data->counter);
	fprintf(data->file, ",%s,%s,", data->unit, kind);
	csv_text(data->file, name);
}

static void json_start(struct report_data *data, const char *name)
{
	fputs(data->first ? "\n{\"name\":" : ",\n{\"name\":", data->file);
	data->first = false;
	json_text(data->file, name);
}

/* Writes one function; `self` may be NULL, and in CSV percentages are of `whole`. */
static void write_row(struct report_data *data, const char *kind, const char *name,
		      const uint64_t *self, uint64_t total, uint64_t whole)
{
	if (data->json) {
		json_start(data, name);
		if (self)
			json_number(data->file, "self", *self);
		json_number(data->file, "total", total);
		putc('}', data->file);
		return;
	}
	csv_start(data, kind, name);
	csv_number(data->file, self);
	csv_number(data->file, &total);
	csv_percent(data->file, self, whole);
	csv_percent(data->file, &total, whole);
	fputs(",\n", data->file);
}

/* In JSON a list has a key, the plural of `noun`. */
static void list_begin(struct report_data *data, const char *noun)
{
	data->first = true;
	if (data->json)
		fprintf(data->file, ",\"%ss\":[", noun);
}

static void list_end(const struct report_data *data)
{
	if (data->json)
		putc(']', data->file);
}

/* Of a part of the time, what was lost and what the handler cost are not known: they are 0. */
static void json_window(FILE *file, const struct profile *profile)
{
	struct profile_window window;

	if (!profile_window(profile, &window))
		return;
	fputs(",\"window\":{", file);
	fprintf(file, "\"from_ns\":%llu", (unsigned long long)window.from_ns);
	json_number(file, "to_ns", window.to_ns);
	json_number(file, "whole_ns", window.whole_ns);
	json_number(file, "joined_samples", window.loss.joined);
	json_number(file, "dropped_samples", window.loss.dropped);
	json_number(file, "deviation_samples", (uint64_t)(window_cut_deviation(&window.loss) + .5));
	putc('}', file);
}

/* What counters did not see. */
static void json_unknown(FILE *file, const struct profile *profile)
{
	bool more = false;

	fputs(",\"unknown\":[", file);
	for (unsigned i = 0; i < profile_counter_count(profile); i++) {
		const struct profile_total total = profile_total(profile, i);
		const char *cause = lacks_cause(&total.lacks);
		const char *remedy = lacks_remedy(&total.lacks);

		if (!total.lacks.threads)
			continue;
		fputs(more ? ",{\"counter\":" : "{\"counter\":", file);
		json_text(file, profile_counter(profile, i)->name);
		json_number(file, "threads", total.lacks.threads);
		json_number(file, "ns", total.lacks.ns);
		fputs(",\"cause\":", file);
		json_text(file, cause ? cause : "");
		fputs(",\"remedy\":", file);
		json_text(file, remedy ? remedy : "");
		putc('}', file);
		more = true;
	}
	putc(']', file);
}

static void json_summary(FILE *file, const struct profile *profile)
{
	const struct profile_summary *summary = profile_summary(profile);
	char command[256];
	char engines[64];

	notes_command(profile, command, sizeof(command));
	notes_engines(summary->engines, engines, sizeof(engines));
	fputs("\"command\":", file);
	json_text(file, command);
	fputs(",\"engines\":", file);
	json_text(file, engines);
	json_number(file, "processes", summary->processes);
	json_number(file, "running", summary->running);
	json_number(file, "killed", summary->killed);
	json_number(file, "threads", summary->threads);
	json_number(file, "samples", summary->count[SPOOL_COUNT_SAMPLES]);
	json_number(file, "lost", summary->lost);
	json_number(file, "damaged_spools", summary->damaged);
	json_number(file, "start_realtime_ns", summary->start_realtime_ns);
	json_number(file, "wall_ns", summary->wall_ns);
	json_number(file, "cpu_ns", summary->cpu_ns);
	json_number(file, "cpu_handler_ns", summary->cpu_handler_ns);
	json_number(file, "before_ns", summary->before_ns);
	json_number(file, "handler_ns", summary->count[SPOOL_COUNT_HANDLER_NS]);
	json_unknown(file, profile);
	json_window(file, profile);
	putc(',', file);
}

void report_data_begin(struct report_data *data, const struct profile *profile)
{
	data->first = true;
	if (!data->json) {
		fputs("counter,unit,kind,name,self,total,self_percent,total_percent,ratio\n",
		      data->file);
		return;
	}
	putc('{', data->file);
	if (profile)
		json_summary(data->file, profile);
	fputs("\"tables\":[", data->file);
}

static int write_functions(struct report_data *data, struct frame_tree *tree)
{
	uint64_t whole = frame_tree_root(tree)->total;
	unsigned rows = data->options->rows;
	struct function *list;
	size_t count;
	int err = functions_list(tree, 1, data->options->by_total, &list, &count);

	if (err)
		return err;
	list_begin(data, "row");
	for (size_t i = 0; i < count && (!rows || i < rows); i++)
		write_row(data, report_by_name(data->options->by), list[i].name, &list[i].self,
			  list[i].total, whole);
	list_end(data);
	free(list);
	return 0;
}

static void write_relations(struct report_data *data, const char *kind, struct frame_tree *list,
			    uint64_t whole)
{
	const struct frame *frame = frame_tree_root(list)->first_child;
	unsigned rows = data->options->rows;

	list_begin(data, kind);
	for (unsigned i = 0; frame && (!rows || i < rows); frame = frame->next_sibling, i++)
		write_row(data, kind, frame->name, NULL, frame->total, whole);
	list_end(data);
}

static int write_callers(struct report_data *data, struct frame_tree *tree)
{
	const char *function = data->options->function;
	struct callers found;
	int err = callers_find(tree, function, &found);

	if (err)
		return err;
	if (data->json) {
		fputs(",\"function\":", data->file);
		json_text(data->file, function);
		json_number(data->file, "self", found.self);
		json_number(data->file, "function_total", found.total);
	} else {
		write_row(data, "function", function, &found.self, found.total,
			  frame_tree_root(tree)->total);
	}
	write_relations(data, "caller", found.callers, found.total);
	write_relations(data, "callee", found.callees, found.total);
	callers_free(&found);
	return 0;
}

/* An unknown sum is null. */
static void json_account(FILE *file, const struct profile *profile, unsigned counter)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	struct profile_total total = profile_total(profile, counter);

	fprintf(file, ",\"account\":{\"unit\":\"%s\"", report_unit(about, SETTINGS_WEIGHT_EVENTS));
	if (total.counted)
		json_number(file, "counted", report_counted(&total));
	else
		fputs(",\"counted\":null", file);
	json_number(file, "in_stacks", total.events);
	if (total.counted) {
		json_number(file, "paused", total.paused);
		json_number(file, "lost", total.dropped);
		fprintf(file, ",\"unsampled\":%lld", (long long)report_unsampled(&total));
	}
	json_number(file, "samples", total.samples);
	json_number(file, "enabled_ns", total.enabled_ns);
	json_number(file, "running_ns", total.running_ns);
	putc('}', file);
}

int report_data_table(struct report_data *data, const struct profile *profile, unsigned counter,
		      struct frame_tree *tree)
{
	const struct spool_counter *about = profile ? profile_counter(profile, counter) : NULL;
	int err = 0;

	data->counter = about ? about->name : "";
	data->unit = about ? report_unit(about, data->options->weight) : "count";
	if (data->json) {
		fputs(data->first ? "\n{\"counter\":" : ",\n{\"counter\":", data->file);
		json_text(data->file, data->counter);
		fprintf(data->file, ",\"unit\":\"%s\",\"by\":\"%s\"", data->unit,
			report_by_name(data->options->by));
		json_number(data->file, "total", frame_tree_root(tree)->total);
		if (profile) {
			json_account(data->file, profile, counter);
			err = report_load_json(profile, counter, data->file);
		}
	}
	if (err)
		return err;
	err = data->options->function ? write_callers(data, tree) : write_functions(data, tree);
	if (data->json)
		putc('}', data->file);
	data->first = false;
	return err;
}

static void write_ratio(const struct ratios_row *row, void *context)
{
	struct report_data *data = context;

	if (!data->json) {
		csv_start(data, "ratio", row->name);
		fprintf(data->file, ",,,,,%.6g\n", row->ratio);
		return;
	}
	json_start(data, row->name);
	json_number(data->file, "of", row->of);
	json_number(data->file, "by", row->by);
	fprintf(data->file, ",\"ratio\":%.6g}", row->ratio);
}

int report_data_ratio(struct report_data *data, struct profile *profile,
		      const struct ratios_pair *pair)
{
	int err;

	data->counter = pair->title;
	data->unit = "";
	if (!data->json)
		return ratios_each(profile, pair, data->options->rows, write_ratio, data);
	fputs(data->ratios++ ? ",\n{\"title\":" : "],\"ratios\":[\n{\"title\":", data->file);
	json_text(data->file, pair->title);
	fputs(",\"of\":", data->file);
	json_text(data->file, profile_counter(profile, pair->of)->name);
	fputs(",\"by\":", data->file);
	json_text(data->file, profile_counter(profile, pair->by)->name);
	fprintf(data->file, ",\"scale\":%.6g,\"rows\":[", pair->scale);
	data->first = true;
	err = ratios_each(profile, pair, data->options->rows, write_ratio, data);
	fputs("]}", data->file);
	return err;
}

void report_data_end(struct report_data *data)
{
	if (data->json)
		fputs("]}\n", data->file);
}
