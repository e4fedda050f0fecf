/* flametrap report FILE…: top functions as a table, losses, overhead. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/options/input_options.h"
#include "runtime/collect/sources.h"
#include "runtime/collect/spool_search.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/merge/ratios.h"
#include "runtime/output/report/report.h"

#define ROWS_DEFAULT 20

/* The data that the stages share. */
struct job {
	struct sources sources;
	struct input_options reading;
	bool csv;
	bool for_programs; /* CSV or JSON, instead of tables */
	struct report_options table;
	struct report_data data;
	char files[256]; /* the operands, as a shell takes them */
};

static int counter_table(struct job *job, unsigned counter)
{
	struct profile *profile = job->sources.input.profile;
	struct frame_tree *tree;
	int err;

	if (!job->for_programs)
		return report_counter(profile, counter, &job->table, stdout);
	err = report_tree(profile, counter, &job->table, &tree);
	if (err)
		return err;
	err = report_data_table(&job->data, profile, counter, tree);
	frame_tree_free(tree);
	return err;
}

static int report_spools(struct job *job)
{
	const char *name = job->reading.counter;
	int only = input_options_counter(&job->reading, &job->sources.input);
	unsigned count = profile_counter_count(job->sources.input.profile);
	int err = 0;

	if (only < 0)
		return only;
	if (!job->for_programs)
		report_summary(job->sources.input.profile, stdout);
	for (unsigned i = 0; !err && i < count; i++)
		if (!name || i == (unsigned)only)
			err = counter_table(job, i);
	return err;
}

/* Folded files contain no counters, so they have their own table. */
static int report_folded(struct job *job)
{
	struct profile *spools = job->sources.input.profile;
	struct frame_tree *tree;
	int err;

	job->sources.input.profile = NULL;
	err = input_tree(&job->sources.input, 0, job->table.weight, &tree);
	job->sources.input.profile = spools;
	if (err)
		return spools && err != -ENOMEM ? 0 : err; /* they are skipped */
	if (job->table.by == REPORT_BY_PROCESS)
		err = report_cut(&tree, 1); /* folded files do not record the process */
	if (err)
		goto out;
	if (job->for_programs) {
		err = report_data_table(&job->data, NULL, 0, tree);
	} else {
		if (spools)
			puts("\nfolded files\n");
		err = report_table(tree, "weight", &job->table, stdout);
	}
out:
	frame_tree_free(tree);
	return err;
}

static int report_ratios(struct job *job)
{
	struct profile *profile = job->sources.input.profile;
	unsigned count = profile_counter_count(profile);
	int only = input_counter(&job->sources.input, job->reading.counter);
	struct ratios_pair pair;
	int err = 0;

	if (job->table.function || job->reading.by != REPORT_BY_FUNCTION)
		return 0;
	for (unsigned i = 0; !err && i < count; i++)
		if ((!job->reading.counter || i == (unsigned)only) &&
		    ratios_choose(profile, i, &pair))
			err = job->for_programs
				      ? report_data_ratio(&job->data, profile, &pair)
				      : ratios_print(profile, &pair, job->table.rows, stdout);
	return err;
}

static int report(struct job *job)
{
	int err = 0;

	if (job->for_programs)
		report_data_begin(&job->data, job->sources.input.profile);
	if (job->sources.input.profile)
		err = report_spools(job);
	if (!err && job->sources.input.profile && !job->for_programs)
		err = report_ratios(job);
	if (!err && job->sources.input.folded_count)
		err = report_folded(job);
	if (!err && job->sources.input.profile && job->for_programs)
		err = report_ratios(job);
	if (!err && job->for_programs)
		report_data_end(&job->data);
	return err;
}

/* Operands that a shell might change, or many of them, are not repeated. */
static void set_files(struct job *job, char *const *operands)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "./_-+,:@%";
	size_t used = 0;

	for (; *operands; operands++) {
		size_t length = strlen(*operands);

		if (strspn(*operands, plain) != length || **operands == '-' ||
		    used + length + 2 > sizeof(job->files)) {
			strcpy(job->files, "FILE");
			break;
		}
		if (used)
			job->files[used++] = ' ';
		memcpy(job->files + used, *operands, length + 1);
		used += length;
	}
	job->table.files = job->files;
}

static const struct manual_option report_options[] = {
	{ "function", 0, "NAME", NULL, options_text, offsetof(struct job, table.function),
	  "callers and callees of one function, named as in annotate, or of all that a pattern "
	  "such as 'str*' matches" },
	{ "rows", 'n', "N", NULL, input_options_rows, offsetof(struct job, table.rows),
	  "rows in each table; 0 is all (default 20)" },
	{ "sort", 0, "BY", "self total", input_options_sort, offsetof(struct job, reading.sort),
	  "order of the rows: self, the default (what each took itself), or total (with all "
	  "that it called)" },
	{ "csv", 0, NULL, NULL, options_flag, offsetof(struct job, csv),
	  "comma-separated values, for programs" },
	{ "json", 0, NULL, NULL, options_flag, offsetof(struct job, data.json),
	  "the same as JSON" },
	{ 0 },
};

const struct manual manual_report = {
	.name = "report",
	.synopsis = { "report [OPTION...] FILE|PID..." },
	.summary = "print the busiest functions, losses and overhead as tables",
	.text = "Reads spools and folded files, merges them, and prints who ran, what was lost, "
		"what profiling cost, and the functions with the largest share of each counter. Of "
		"a PID that flametrap list shows it reads the samples so far.\n\n"
		"Counters that were counted together also give ratios by function: instructions "
		"per cycle, cache misses per 1000 instructions, page faults per millisecond.",
	.options = { report_options, manual_reading },
	.least = 1,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_PROFILE,
	.status = MANUAL_STATUS_READ,
	.examples = {
		{ "flametrap report app.spool", "All tables" },
		{ "flametrap report --focus parse --ignore '_\\[k\\]$' before.folded",
		  "Only stacks with parse in them, outside the kernel" },
		{ "flametrap report --by module app.spool", "Which library the time is spent in" },
		{ "flametrap report --function compute app.spool", "Who calls compute, and what it calls" },
		{ "flametrap report --json app.spool", "The same numbers for a program" },
	},
};

static const char *wrong_use(const struct job *job)
{
	if (job->csv && job->data.json)
		return "--csv and --json are two forms of the same report";
	if (job->table.function && report_by_origin(job->reading.by))
		return "threads, processes and labels have no callers: --function goes with --by "
		       "function, module, file or line";
	return NULL;
}

static int read_and_report(struct job *job, char **operands, size_t count)
{
	struct profile_options options = input_options_profile(&job->reading, status_line_text);
	bool by_pid, skipped;
	int err;

	job->table.weight = job->reading.weight;
	job->table.by = job->reading.by;
	job->table.by_total = job->reading.sort == INPUT_OPTIONS_SORT_TOTAL;
	job->for_programs = job->csv || job->data.json;
	if (job->for_programs)
		terminal_safe_data();
	job->data.file = stdout;
	job->data.options = &job->table;
	if (job->reading.by != REPORT_BY_THREAD)
		options.threads = SETTINGS_THREADS_MERGE;
	if (job->reading.by != REPORT_BY_LABEL)
		options.label = NULL;
	options.waits = true;
	options.timeline = !job->csv && !job->table.function;
	set_files(job, operands);
	progress_start();
	err = sources_open(&job->sources, &job->reading, &options, operands, count);
	progress_print();
	if (!err)
		err = report(job);
	skipped = job->sources.input.skipped > 0;
	by_pid = job->sources.processes.path;
	sources_close(&job->sources);
	progress_end();
	if (status_line_flushed())
		return 1;
	if (!err && by_pid)
		spool_search_unfinished();
	return err || skipped ? 1 : 0;
}

int verb_report(int argc, char **argv)
{
	struct job job = { .table.rows = ROWS_DEFAULT,
			   .table.columns = input_options_columns(),
			   .table.ascii = !input_options_utf8() };
	int status = 2, first = arguments_read(&manual_report, argc, argv,
					       ARGUMENTS(&job, &job.reading), &status);

	if (first >= 0 && wrong_use(&job))
		status_line_text(wrong_use(&job));
	else if (first >= 0)
		status = read_and_report(&job, argv + first, (size_t)(argc - first));
	input_options_free(&job.reading);
	return status;
}
