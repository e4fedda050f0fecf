/*
 * Reads the options of fold and report, and refuses invalid combinations.
 */
#include "runtime/command/options/report_options.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/manual.h"
#include "runtime/output/format_writers.h"

#define ROWS_DEFAULT 20

static int take_formats(const char *text, void *field, char *line, size_t bytes)
{
	return input_options_setting("format", text, field, line, bytes);
}

static const struct arguments_option options[] = {
	{ 'n', input_options_rows, offsetof(struct report_arguments, rows) },
	{ 'o', arguments_text, offsetof(struct report_arguments, output) },
	{ OPTION_FORMAT, take_formats, offsetof(struct report_arguments, formats) },
	{ OPTION_FUNCTION, arguments_text, offsetof(struct report_arguments, function) },
	{ OPTION_CSV, arguments_flag, offsetof(struct report_arguments, csv) },
	{ OPTION_JSON, arguments_flag, offsetof(struct report_arguments, json) },
	{ 0 },
};

/* Returns the error in the outputs requested from fold; NULL if there is none. */
static const char *wrong_output(const struct report_arguments *choice, char *line, size_t bytes)
{
	unsigned formats = choice->formats;
	unsigned whole = formats & format_set(FORMAT_ORIGINS) & ~format_set(FORMAT_TIMED);

	if (whole && choice->reading.by != REPORT_BY_FUNCTION) {
		snprintf(line, bytes,
			 "a %s file holds functions, modules, lines, threads and processes "
			 "together: --by goes with other formats",
			 format_find(whole)->name);
		return line;
	}
	if (formats & format_set(FORMAT_TIMED) && choice->reading.by != REPORT_BY_FUNCTION)
		return "a format with the time of each sample holds functions, modules and threads "
		       "together: --by goes with other formats";
	if (choice->reading.sort && (choice->output || formats & ~(unsigned)SETTINGS_FORMAT_FOLDED))
		return "--sort orders folded stacks on standard output";
	if (formats & SETTINGS_FORMAT_SPOOL)
		return "only a run keeps its spools: flametrap --format folded,svg,spool COMMAND";
	if (choice->reading.counter && choice->output)
		return "-o writes all counters: --counter goes with standard output";
	if (!choice->output && (formats & (formats - 1)))
		return "standard output takes one format: several go with -o STEM";
	return NULL;
}

static int check(const struct report_arguments *choice)
{
	char line[160];
	const char *wrong = wrong_output(choice, line, sizeof(line));

	if (choice->csv && choice->json)
		wrong = "--csv and --json are two forms of the same report";
	else if (choice->function && report_by_origin(choice->reading.by))
		wrong = "threads, processes and labels have no callers: --function goes with --by "
			"function, "
			"module, file or line";
	if (wrong)
		status_line_text(wrong);
	return wrong ? -EINVAL : 0;
}

int report_options_read(struct report_arguments *choice, const char *verb, int argc, char **argv)
{
	int first;

	*choice = (struct report_arguments){ .rows = ROWS_DEFAULT, .status = 2 };
	first = arguments_read(verb, argc, argv,
			       ARGUMENTS({ options, choice },
					 { input_options_options, &choice->reading }),
			       &choice->status);
	if (first >= 0 && !check(choice))
		return first;
	input_options_free(&choice->reading);
	return -1;
}
