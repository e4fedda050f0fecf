/*
 * Options end at the first command or at "--".  The next separator ends that command, and all that
 * follows is the other one: only the first command cannot hold the separator as a word of its own.
 */
#include "runtime/command/ab/ab.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/options/input_options.h"

#define LINE_BYTES     1024
#define STATUS_REFUSED 125
#define RUNS_DEFAULT   10
#define RUNS_LEAST     2 /* of one there is no variation */
#define RUNS_MOST      10000
#define WARMUP_DEFAULT 1
#define ROWS_DEFAULT   20

static int take_count(const char *name, const char *text, unsigned least, void *count, char *line,
		      size_t bytes)
{
	if (options_number(text, least, RUNS_MOST, count))
		return 0;
	return refuse(line, bytes, -EINVAL, "--%s %.60s is not a number from %u to %u", name, text,
		      least, RUNS_MOST);
}

static int take_runs(const char *text, void *field, char *line, size_t bytes)
{
	return take_count("runs", text, RUNS_LEAST, field, line, bytes);
}

static int take_warmup(const char *text, void *field, char *line, size_t bytes)
{
	return take_count("warmup", text, 0, field, line, bytes);
}

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
	return refuse(line, bytes, -EINVAL, "%s command is missing; usage: flametrap %s",
		      *words ? "the second" : "the first", manual_ab.synopsis[0]);
}

static int check(const struct ab_options *options, char *line, size_t bytes)
{
	if (options->output && options->no_picture)
		return refuse(line, bytes, -EINVAL, "-o and --no-picture exclude each other");
	if (options->output && strcmp(options->output, "-") == 0)
		return refuse(line, bytes, -EINVAL,
			      "-o needs a file: standard output is for the answer");
	return comparing_check(&options->comparing, line, bytes);
}

static const struct manual_option ab_options[] = {
	{ "runs", 'n', "RUNS", NULL, take_runs, offsetof(struct ab_options, runs),
	  "run each command at most so often, from 2 on (default 10)" },
	{ "warmup", 0, "RUNS", NULL, take_warmup, offsetof(struct ab_options, warmup),
	  "runs of each command before those that count (default 1)" },
	{ "prepare", 0, "COMMAND", NULL, options_text, offsetof(struct ab_options, prepare),
	  "run this by sh -c before each run" },
	{ "input", 0, "FILE", MANUAL_FILE, options_text, offsetof(struct ab_options, input),
	  "standard input of each run, from the beginning; without it there is none" },
	{ "show-output", 0, NULL, NULL, options_flag, offsetof(struct ab_options, show_output),
	  "keep the standard output of the runs, which otherwise goes to /dev/null" },
	{ "ignore-failure", 0, NULL, NULL, options_flag,
	  offsetof(struct ab_options, ignore_failure),
	  "compare runs whose exit status is not 0 like others" },
	{ "no-early-stop", 0, NULL, NULL, options_flag, offsetof(struct ab_options, no_early_stop),
	  "make all runs, also when the answer is clear before" },
	{ "separator", 0, "WORD", NULL, options_text, offsetof(struct ab_options, separator),
	  "the word between the commands, for a first command that has the word -- itself" },
	{ "save", 0, "DIRECTORY", MANUAL_DIRECTORY, options_text, offsetof(struct ab_options, save),
	  "keep the spools of all runs, for flametrap diff" },
	{ "output", 'o', "FILE", MANUAL_FILE, options_text, offsetof(struct ab_options, output),
	  "where to draw the difference: a flame graph (.svg) or a page with all of the answer "
	  "(.html) (default ab.diff.svg)" },
	{ "no-picture", 0, NULL, NULL, options_flag, offsetof(struct ab_options, no_picture),
	  "draw nothing" },
	{ "rows", 0, "N", NULL, input_options_rows, offsetof(struct ab_options, rows),
	  "rows in each table; 0 is all (default 20)" },
	{ 0 },
};

const struct manual manual_ab = {
	.name = "ab",
	.synopsis = { "ab [OPTION...] [--] COMMAND [ARGUMENT...] -- COMMAND [ARGUMENT...]" },
	.summary = "run two commands in turns and show what differs",
	.text = "Runs two commands in turns (A B, B A, A B, ...), samples both alike, and prints "
		"how much wall time, CPU time and the chosen counters changed from the first to "
		"the second, and in which functions. Each change has an interval that holds the "
		"true one with the confidence asked for, and is marked where it is significant. "
		"The runs stop early once the answer is clear; all interim analyses together keep "
		"the confidence. Where runs differ much in all functions alike, because the machine "
		"has other users, functions are compared normalized, and a line says so.\n\n"
		"Without --fail-above the answer is clear once wall time, CPU time and counters "
		"have each changed significantly, or significantly by less than 1 %. With it, once "
		"each limit is significantly kept or exceeded.\n\n"
		"Options end at the first command or at --, and the next -- ends that command. "
		"The two may be the same with other settings: -- env X=1 ./app -- env X=2 ./app. "
		"The settings are those of flametrap run, with " MANUAL_AB_FREQUENCY
		" samples per second unless -F or -c says otherwise.",
	.options = { ab_options, manual_comparing },
	.settings = true,
	.without = "output format weight",
	.frequency = MANUAL_AB_FREQUENCY,
	.least = 3,
	.most = MANUAL_ANY_COUNT,
	.operands = MANUAL_COMMAND,
	.status = "0; 1 if something significantly grew by more than --fail-above says; 125 if there is no "
		  "answer: wrong usage, a command that cannot be started, or a run that failed.",
	.examples = {
		{ "flametrap ab -- ./old -- ./new", "Two builds of a program" },
		{ "flametrap ab -n 30 --input data -- ./old -x -- ./new -x",
		  "Up to 30 runs of each, with the same input" },
		{ "flametrap ab --fail-above 3% --fail-above compute=10% -- ./old -- ./new",
		  "Exit status 1 if it is significantly more than 3 % slower, or compute() more than 10 %" },
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

	*options = (struct ab_options){
		.comparing.alpha = COMPARING_ALPHA,
		.runs = RUNS_DEFAULT,
		.warmup = WARMUP_DEFAULT,
		.rows = ROWS_DEFAULT,
	};
	*status = STATUS_REFUSED;
	first = arguments_read(&manual_ab, argc, argv,
			       ARGUMENTS(&options->settings, options, &options->comparing), status);
	if (first < 0)
		return false;
	if (!check(options, line, sizeof(line)) &&
	    !split(options, argv + first, line, sizeof(line)))
		return true;
	status_line_text(line);
	return false;
}
