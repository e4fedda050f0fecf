/*
 * Options end at the first command or at "--".  The next separator ends that command, and all that
 * follows is the other one: only the first command cannot hold the separator as a word of its own.
 */
#include "runtime/command/ab/ab_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/options/help.h"
#include "runtime/command/options/manual.h"
#include "runtime/command/options/input_options.h"

#define LINE_BYTES     1024
#define STATUS_REFUSED 125
#define RUNS_DEFAULT   10
#define RUNS_LEAST     2 /* of one there is no variation */
#define RUNS_MOST      10000
#define WARMUP_DEFAULT 1
#define ROWS_DEFAULT   20
#define HELP_ASKED     1

static int take_count(const char *name, const char *text, unsigned least, unsigned *count,
		      char *line, size_t bytes)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || number < least || number > RUNS_MOST) {
		snprintf(line, bytes, "--%s %.60s is not a number from %u to %u", name, text, least,
			 RUNS_MOST);
		return -EINVAL;
	}
	*count = (unsigned)number;
	return 0;
}

static int take_runs(const char *text, void *field, char *line, size_t bytes)
{
	return take_count("runs", text, RUNS_LEAST, field, line, bytes);
}

static int take_warmup(const char *text, void *field, char *line, size_t bytes)
{
	return take_count("warmup", text, 0, field, line, bytes);
}

static const struct arguments_option own_options[] = {
	{ 'n', take_runs, offsetof(struct ab_options, runs) },
	{ 'o', arguments_text, offsetof(struct ab_options, output) },
	{ OPTION_WARMUP, take_warmup, offsetof(struct ab_options, warmup) },
	{ OPTION_ROWS, input_options_rows, offsetof(struct ab_options, rows) },
	{ OPTION_PREPARE, arguments_text, offsetof(struct ab_options, prepare) },
	{ OPTION_INPUT, arguments_text, offsetof(struct ab_options, input) },
	{ OPTION_SAVE, arguments_text, offsetof(struct ab_options, save) },
	{ OPTION_SEPARATOR, arguments_text, offsetof(struct ab_options, separator) },
	{ OPTION_SHOW_OUTPUT, arguments_flag, offsetof(struct ab_options, show_output) },
	{ OPTION_IGNORE_FAILURE, arguments_flag, offsetof(struct ab_options, ignore_failure) },
	{ OPTION_NO_EARLY_STOP, arguments_flag, offsetof(struct ab_options, no_early_stop) },
	{ OPTION_NO_PICTURE, arguments_flag, offsetof(struct ab_options, no_picture) },
	{ 0 },
};

static const struct arguments_option *find(const struct arguments_option *options, int key)
{
	while (options->store && options->key != key)
		options++;
	return options->store ? options : NULL;
}

static int take(int key, const char *text, char *line, size_t bytes, void *context)
{
	struct ab_options *options = context;
	const struct arguments_option *own = find(own_options, key);
	const struct arguments_option *shared = find(comparing_options, key);

	if (key == 'h')
		return HELP_ASKED;
	if (own)
		return own->store(text, (char *)options + own->field, line, bytes);
	if (shared)
		return shared->store(text, (char *)&options->comparing + shared->field, line,
				     bytes);
	options->settings.value[manual_setting(key)] = text ? text : "yes";
	return 0;
}

/* Cut the words after the options into the two commands. */
static int split(struct ab_options *options, char **words, char *line, size_t bytes)
{
	const char *separator = options->separator ? options->separator : "--";
	char **second = words;

	while (*second && strcmp(*second, separator) != 0)
		second++;
	if (*second) {
		*second = NULL;
		second++;
	}
	options->command[RUNS_BEFORE] = words;
	options->command[RUNS_AFTER] = second;
	if (*words && *second)
		return 0;
	snprintf(line, bytes, "%s command is missing; usage: flametrap %s",
		 *words ? "the second" : "the first", manual_ab.synopsis[0]);
	return -EINVAL;
}

static int check(const struct ab_options *options, char *line, size_t bytes)
{
	if (options->output && options->no_picture) {
		snprintf(line, bytes, "-o and --no-picture exclude each other");
		return -EINVAL;
	}
	if (options->output && strcmp(options->output, "-") == 0) {
		snprintf(line, bytes, "-o needs a file: standard output is for the answer");
		return -EINVAL;
	}
	return comparing_check(&options->comparing, line, bytes);
}

bool ab_options_read(struct ab_options *options, int argc, char **argv, int *status)
{
	char line[LINE_BYTES];
	int first;
	int answer;

	*options = (struct ab_options){
		.runs = RUNS_DEFAULT,
		.warmup = WARMUP_DEFAULT,
		.rows = ROWS_DEFAULT,
	};
	answer = arguments_parse(&manual_ab, argc, argv, take, options, &first, line, sizeof(line));
	if (answer == HELP_ASKED) {
		*status = help_verb(&manual_ab);
		return false;
	}
	if (!answer)
		answer = check(options, line, sizeof(line));
	if (!answer)
		answer = split(options, argv + first, line, sizeof(line));
	if (!answer)
		return true;
	status_line_text(line);
	*status = STATUS_REFUSED;
	return false;
}
