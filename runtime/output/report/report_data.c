/* Names may hold any bytes; both formats are written as valid UTF-8. */
#include "runtime/output/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/profile/base/maths.h"
#include "runtime/profile/base/safe_text.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/notes.h"
#include "runtime/profile/merge/profile.h"
#include "runtime/profile/merge/ratios.h"

#define DIGITS 6 /* of a ratio */

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

/* Writes one function; `self` may be NULL, and in CSV percentages are of `whole`. */
static void write_row(struct report_data *data, const char *kind, const char *name,
		      const uint64_t *self, uint64_t total, uint64_t whole)
{
	if (data->json) {
		json_row(&data->out);
		json_text(&data->out, "name", name);
		if (self)
			json_uint(&data->out, "self", *self);
		json_uint(&data->out, "total", total);
		json_end(&data->out, "}");
		return;
	}
	csv_start(data, kind, name);
	csv_number(data->file, self);
	csv_number(data->file, &total);
	csv_percent(data->file, self, whole);
	csv_percent(data->file, &total, whole);
	fputs(",\n", data->file);
}

static void list_begin(struct report_data *data, const char *key)
{
	if (data->json)
		json_array(&data->out, key);
}

static void list_end(struct report_data *data)
{
	if (data->json)
		json_end(&data->out, "]");
}

/* Of a part of the time, what was lost and what the handler cost are not known: they are 0. */
static void write_window(struct json *json, const struct profile *profile)
{
	struct profile_window window;

	if (!profile_window(profile, &window))
		return;
	json_record(json, "window",
		    "from_ns:%lu to_ns:%lu whole_ns:%lu joined_samples:%lu dropped_samples:%lu "
		    "deviation_samples:%lu",
		    window.from_ns, window.to_ns, window.whole_ns, window.loss.joined,
		    window.loss.dropped, (uint64_t)(window_cut_deviation(&window.loss) + .5));
}

static void write_unknown(struct json *json, const struct profile *profile)
{
	json_array(json, "unknown");
	for (unsigned i = 0; i < profile_counter_count(profile); i++) {
		const struct profile_total total = profile_total(profile, i);
		const char *cause = lacks_cause(&total.lacks);
		const char *remedy = lacks_remedy(&total.lacks);

		if (!total.lacks.threads)
			continue;
		json_record(json, NULL, "counter:%s threads:%lu ns:%lu cause:%s remedy:%s",
			    profile_counter(profile, i)->name, total.lacks.threads, total.lacks.ns,
			    cause ? cause : "", remedy ? remedy : "");
	}
	json_end(json, "]");
}

static void write_summary(struct json *json, const struct profile *profile)
{
	const struct profile_summary *summary = profile_summary(profile);
	char command[256];
	char engines[64];

	notes_command(profile, command, sizeof(command));
	notes_engines(summary->engines, engines, sizeof(engines));
	json_members(
		json,
		"command:%s engines:%s processes:%u running:%u killed:%u threads:%u samples:%lu "
		"lost:%lu damaged_spools:%u start_realtime_ns:%lu wall_ns:%lu cpu_ns:%lu "
		"cpu_handler_ns:%lu before_ns:%lu handler_ns:%lu",
		command, engines, summary->processes, summary->running, summary->killed,
		summary->threads, summary->count[SPOOL_COUNT_SAMPLES], summary->lost,
		summary->damaged, summary->start_realtime_ns, summary->wall_ns, summary->cpu_ns,
		summary->cpu_handler_ns, summary->before_ns,
		summary->count[SPOOL_COUNT_HANDLER_NS]);
	write_unknown(json, profile);
	write_window(json, profile);
}

void report_data_begin(struct report_data *data, const struct profile *profile)
{
	data->out = (struct json){ .file = data->file };
	if (!data->json) {
		fputs("counter,unit,kind,name,self,total,self_percent,total_percent,ratio\n",
		      data->file);
		return;
	}
	json_object(&data->out, NULL);
	if (profile)
		write_summary(&data->out, profile);
	json_array(&data->out, "tables");
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
	list_begin(data, "rows");
	for (size_t i = 0; i < count && (!rows || i < rows); i++)
		write_row(data, report_by_name(data->options->by), list[i].name, &list[i].self,
			  list[i].total, whole);
	list_end(data);
	free(list);
	return 0;
}

static void write_relations(struct report_data *data, const char *kind, const char *plural,
			    struct frame_tree *list, uint64_t whole)
{
	const struct frame *frame = frame_tree_root(list)->first_child;
	unsigned rows = data->options->rows;

	list_begin(data, plural);
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
		json_members(&data->out, "function:%s self:%lu function_total:%lu", function,
			     found.self, found.total);
	} else {
		write_row(data, "function", function, &found.self, found.total,
			  frame_tree_root(tree)->total);
	}
	write_relations(data, "caller", "callers", found.callers, found.total);
	write_relations(data, "callee", "callees", found.callees, found.total);
	callers_free(&found);
	return 0;
}

/* An unknown sum is null. */
static void write_account(struct json *json, const struct profile *profile, unsigned counter)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	struct profile_total total = profile_total(profile, counter);

	json_object(json, "account");
	json_text(json, "unit", report_unit(about, SETTINGS_WEIGHT_EVENTS));
	if (total.counted)
		json_uint(json, "counted", report_counted(&total));
	else
		json_null(json, "counted");
	json_uint(json, "in_stacks", total.events);
	if (total.counted) {
		json_members(json, "paused:%lu lost:%lu unsampled:%ld", total.paused, total.dropped,
			     report_unsampled(&total));
	}
	json_members(json, "samples:%lu enabled_ns:%lu running_ns:%lu", total.samples,
		     total.enabled_ns, total.running_ns);
	json_end(json, "}");
}

int report_data_table(struct report_data *data, const struct profile *profile, unsigned counter,
		      struct frame_tree *tree)
{
	const struct spool_counter *about = profile ? profile_counter(profile, counter) : NULL;
	int err = 0;

	data->counter = about ? about->name : "";
	data->unit = about ? report_unit(about, data->options->weight) : "count";
	if (data->json) {
		json_row(&data->out);
		json_members(&data->out, "counter:%s unit:%s by:%s total:%lu", data->counter,
			     data->unit, report_by_name(data->options->by),
			     frame_tree_root(tree)->total);
		if (profile) {
			write_account(&data->out, profile, counter);
			err = report_load_json(profile, counter, &data->out);
		}
	}
	if (err)
		return err;
	err = data->options->function ? write_callers(data, tree) : write_functions(data, tree);
	if (data->json)
		json_end(&data->out, "}");
	return err;
}

static void write_ratio(const struct ratios_row *row, void *context)
{
	struct report_data *data = context;

	if (!data->json) {
		csv_start(data, "ratio", row->name);
		fprintf(data->file, ",,,,,%.*g\n", DIGITS, row->ratio);
		return;
	}
	json_line(&data->out);
	json_record(&data->out, NULL, "name:%s of:%lu by:%lu ratio:%.6g", row->name, row->of,
		    row->by, row->ratio);
}

int report_data_ratio(struct report_data *data, struct profile *profile,
		      const struct ratios_pair *pair)
{
	struct json *json = &data->out;
	int err;

	data->counter = pair->title;
	data->unit = "";
	if (!data->json)
		return ratios_each(profile, pair, data->options->rows, write_ratio, data);
	if (!data->ratios++) {
		json_end(json, "]");
		json_array(json, "ratios");
	}
	json_row(json);
	json_members(json, "title:%s of:%s by:%s scale:%.6g", pair->title,
		     profile_counter(profile, pair->of)->name,
		     profile_counter(profile, pair->by)->name, pair->scale);
	json_array(json, "rows");
	err = ratios_each(profile, pair, data->options->rows, write_ratio, data);
	json_end(json, "]}");
	return err;
}

void report_data_end(struct report_data *data)
{
	if (!data->json)
		return;
	json_end(&data->out, "]}");
	putc('\n', data->file);
}
