/*
 * Names may hold any bytes; both formats are written as valid UTF-8.
 */
#include "runtime/fold/report/report_data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fold/base/safe_text.h"
#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/profile/functions.h"
#include "runtime/fold/profile/notes.h"
#include "runtime/fold/profile/profile.h"
#include "runtime/fold/profile/ratios.h"
#include "runtime/fold/report/callers.h"
#include "runtime/fold/report/report_account.h"

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

static void csv_start(FILE *file, const char *counter, const char *unit, const char *kind,
		      const char *name)
{
	csv_text(file, counter);
	fprintf(file, ",%s,%s,", unit, kind);
	csv_text(file, name);
	putc(',', file);
}

static void csv_percent(FILE *file, uint64_t part, uint64_t whole)
{
	fprintf(file, ",%.4f", whole ? 100.0 * (double)part / (double)whole : 0);
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
	json_number(file, "handler_ns", summary->count[SPOOL_COUNT_HANDLER_NS]);
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

static size_t limit(const struct report_data *data, size_t count)
{
	return data->options->rows && data->options->rows < count ? data->options->rows : count;
}

static void json_functions(const struct report_data *data, const struct function *list,
			   size_t count)
{
	fputs(",\"rows\":[", data->file);
	for (size_t i = 0; i < limit(data, count); i++) {
		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", data->file);
		json_text(data->file, list[i].name);
		json_number(data->file, "self", list[i].self);
		json_number(data->file, "total", list[i].total);
		putc('}', data->file);
	}
	putc(']', data->file);
}

/* `head`: counter, unit, kind. */
static void csv_function(const struct report_data *data, const char *const head[3],
			 const struct function *function, uint64_t whole)
{
	csv_start(data->file, head[0], head[1], head[2], function->name);
	fprintf(data->file, "%llu,%llu", (unsigned long long)function->self,
		(unsigned long long)function->total);
	csv_percent(data->file, function->self, whole);
	csv_percent(data->file, function->total, whole);
	fputs(",\n", data->file);
}

static int write_functions(struct report_data *data, const char *counter, const char *unit,
			   struct frame_tree *tree)
{
	uint64_t whole = frame_tree_root(tree)->total;
	struct function *list;
	size_t count;
	int err = functions_list(tree, data->options->by_total, &list, &count);

	if (err)
		return err;
	if (data->json)
		json_functions(data, list, count);
	for (size_t i = 0; !data->json && i < limit(data, count); i++)
		csv_function(data,
			     (const char *const[]){ counter, unit,
						    report_by_name(data->options->by) },
			     &list[i], whole);
	free(list);
	return 0;
}

static void json_relations(const struct report_data *data, const char *key,
			   const struct callers_function *list, size_t count)
{
	fprintf(data->file, ",\"%s\":[", key);
	for (size_t i = 0; i < limit(data, count); i++) {
		fputs(i ? ",\n{\"name\":" : "\n{\"name\":", data->file);
		json_text(data->file, list[i].name);
		json_number(data->file, "total", list[i].value);
		putc('}', data->file);
	}
	putc(']', data->file);
}

/* Writes one of the lists as CSV; percentages are of the function's total. */
static void csv_relations(const struct report_data *data, const char *const head[3],
			  const struct callers_function *list, size_t count, uint64_t whole)
{
	for (size_t i = 0; i < limit(data, count); i++) {
		csv_start(data->file, head[0], head[1], head[2], list[i].name);
		fprintf(data->file, ",%llu,", (unsigned long long)list[i].value);
		csv_percent(data->file, list[i].value, whole);
		fputs(",\n", data->file);
	}
}

static int write_callers(struct report_data *data, const char *counter, const char *unit,
			 struct frame_tree *tree)
{
	struct callers found;
	int err = callers_find(tree, data->options->function, &found);

	if (err && err != -ENOENT)
		return err;
	if (data->json) {
		fputs(",\"function\":", data->file);
		json_text(data->file, data->options->function);
		json_number(data->file, "self", found.self);
		json_number(data->file, "function_total", found.total);
		json_relations(data, "callers", found.callers, found.caller_count);
		json_relations(data, "callees", found.callees, found.callee_count);
	} else {
		csv_function(data, (const char *const[]){ counter, unit, "function" },
			     &(struct function){ data->options->function, found.self, found.total },
			     frame_tree_root(tree)->total);
		csv_relations(data, (const char *const[]){ counter, unit, "caller" }, found.callers,
			      found.caller_count, found.total);
		csv_relations(data, (const char *const[]){ counter, unit, "callee" }, found.callees,
			      found.callee_count, found.total);
	}
	callers_free(&found);
	return 0;
}

/* An unknown sum is null. */
static void json_account(FILE *file, const struct profile *profile, unsigned counter)
{
	const struct spool_counter *about = profile_counter(profile, counter);
	struct profile_total total = profile_total(profile, counter);
	struct report_account account = report_account_of(&total);

	fprintf(file, ",\"account\":{\"unit\":\"%s\"", report_unit(about, SETTINGS_WEIGHT_EVENTS));
	if (account.counts) {
		json_number(file, "counted", account.counted);
		json_number(file, "in_stacks", account.in_stacks);
		json_number(file, "paused", account.paused);
		json_number(file, "lost", account.lost);
		json_number(file, "unsampled", account.unsampled);
	} else {
		fputs(",\"counted\":null", file);
		json_number(file, "in_stacks", account.in_stacks);
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
	const char *unit = about ? report_unit(about, data->options->weight) : "count";
	const char *name = about ? about->name : "";
	int err;

	if (data->json) {
		fputs(data->first ? "\n{\"counter\":" : ",\n{\"counter\":", data->file);
		json_text(data->file, name);
		fprintf(data->file, ",\"unit\":\"%s\",\"by\":\"%s\"", unit,
			report_by_name(data->options->by));
		json_number(data->file, "total", frame_tree_root(tree)->total);
		if (profile)
			json_account(data->file, profile, counter);
	}
	data->first = false;
	err = data->options->function ? write_callers(data, name, unit, tree)
				      : write_functions(data, name, unit, tree);
	if (data->json)
		putc('}', data->file);
	return err;
}

static void csv_ratio(const struct ratios_row *row, void *context)
{
	const struct report_data *data = context;

	csv_start(data->file, data->ratio->title, "", "ratio", row->name);
	fprintf(data->file, ",,,,%.6g\n", row->ratio);
}

static void json_ratio(const struct ratios_row *row, void *context)
{
	struct report_data *data = context;

	fputs(data->first ? "\n{\"name\":" : ",\n{\"name\":", data->file);
	data->first = false;
	json_text(data->file, row->name);
	json_number(data->file, "of", row->of);
	json_number(data->file, "by", row->by);
	fprintf(data->file, ",\"ratio\":%.6g}", row->ratio);
}

int report_data_ratio(struct report_data *data, struct profile *profile,
		      const struct ratios_pair *pair)
{
	bool more = data->ratio;
	int err;

	data->ratio = pair;
	if (!data->json)
		return ratios_each(profile, pair, data->options->rows, csv_ratio, data);
	fputs(more ? ",\n{\"title\":" : "],\"ratios\":[\n{\"title\":", data->file);
	json_text(data->file, pair->title);
	fputs(",\"of\":", data->file);
	json_text(data->file, profile_counter(profile, pair->of)->name);
	fputs(",\"by\":", data->file);
	json_text(data->file, profile_counter(profile, pair->by)->name);
	fprintf(data->file, ",\"scale\":%.6g,\"rows\":[", pair->scale);
	data->first = true;
	err = ratios_each(profile, pair, data->options->rows, json_ratio, data);
	fputs("]}", data->file);
	return err;
}

void report_data_end(struct report_data *data)
{
	if (data->json)
		fputs("]}\n", data->file);
}
