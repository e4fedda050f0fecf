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

static const struct manual_option ab_options[] = {
	{ "runs", 'n', "RUNS", NULL, "run each command at most so often, from 2 on (default 10)" },
	{ "warmup", OPTION_WARMUP, "RUNS", NULL,
	  "runs of each command before those that count (default 1)" },
	{ "prepare", OPTION_PREPARE, "COMMAND", NULL, "run this by sh -c before each run" },
	{ "input", OPTION_INPUT, "FILE", MANUAL_FILE,
	  "standard input of each run, from the beginning; without it there is none" },
	{ "show-output", OPTION_SHOW_OUTPUT, NULL, NULL,
	  "keep the standard output of the runs, which otherwise goes to /dev/null" },
	{ "ignore-failure", OPTION_IGNORE_FAILURE, NULL, NULL,
	  "compare runs whose exit status is not 0 like others" },
	{ "no-early-stop", OPTION_NO_EARLY_STOP, NULL, NULL,
	  "make all runs, also when the answer is sure before" },
	{ "separator", OPTION_SEPARATOR, "WORD", NULL,
	  "the word between the commands, for a first command that has the word -- itself" },
	{ "save", OPTION_SAVE, "DIRECTORY", MANUAL_DIRECTORY,
	  "keep the spools of all runs, for flametrap diff" },
	{ "output", 'o', "FILE", MANUAL_FILE,
	  "where to draw the difference: a flame graph (.svg) or a page with all of the answer "
	  "(.html) "
	  "(default ab.diff.svg)" },
	{ "no-picture", OPTION_NO_PICTURE, NULL, NULL, "draw nothing" },
	{ "rows", OPTION_ROWS, "N", NULL, "rows in each table; 0 is all (default 20)" },
	{ 0 },
};

const struct manual manual_ab = {
	.name = "ab",
	.synopsis = { "ab [OPTION...] [--] COMMAND [ARGUMENT...] -- COMMAND [ARGUMENT...]" },
	.summary = "run two commands in turns and show what differs",
	.text = "Runs two commands in turns (A B, B A, A B, ...), samples both alike, and prints "
		"how much wall time, CPU time and the chosen counters changed from the first to "
		"the second, and in which functions. Each change has an interval that holds the "
		"true one with the confidence asked for, and is marked where it is sure. The "
		"runs stop early once the answer is sure; all looks at them together keep the "
		"confidence. Where runs differ much in all functions alike, because the machine "
		"has other users, functions are compared at one pace, and a line says so.\n\n"
		"Without --fail-above the answer is sure once wall time, CPU time and counters "
		"have each surely changed, or surely by less than 1 %. With it, once each limit "
		"is surely kept or surely exceeded.\n\n"
		"Options end at the first command or at --, and the next -- ends that command. "
		"The two may be the same with other settings: -- env X=1 ./app -- env X=2 ./app. "
		"The settings are those of flametrap run, with " MANUAL_AB_FREQUENCY
		" samples per second unless -F "
		"or -c says otherwise.",
	.options = { ab_options, manual_comparing },
	.settings = true,
	.without = "output format weight",
	.frequency = MANUAL_AB_FREQUENCY,
	.least = 3,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_COMMAND,
	.status = "0; 1 if something surely grew by more than --fail-above says; 125 if there is no "
		  "answer: wrong usage, a command that cannot be started, or a run that failed.",
	.examples = {
		{ "flametrap ab -- ./old -- ./new", "Two builds of a program" },
		{ "flametrap ab -n 30 --input data -- ./old -x -- ./new -x",
		  "Up to 30 runs of each, with the same input" },
		{ "flametrap ab --fail-above 3% --fail-above compute=10% -- ./old -- ./new",
		  "Exit status 1 if it is surely more than 3 % slower, or compute() more than 10 %" },
		{ "flametrap ab -e task-clock,off-cpu,page-faults -- ./old -- ./new",
		  "Explain waiting and page faults too" },
		{ "flametrap ab --markdown --no-picture -- ./old -- ./new >>comment",
		  "A table for a pull request" },
	},
};

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
