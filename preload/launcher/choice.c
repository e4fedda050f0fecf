/*
 * getopt_long does the reading and complains in the words of all programs.
 */
#include "preload/launcher/choice.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "preload/launcher/say.h"

#define ROWS_DEFAULT 20

enum {
	KEY_BY = 0x100,
	KEY_FUNCTION,
	KEY_CSV,
	KEY_JSON,
	KEY_FORMAT,
};

/* clang-format off */
#define COMMON \
	{ "counter", required_argument, NULL, READING_COUNTER }, \
	{ "weight", required_argument, NULL, READING_WEIGHT }, \
	{ "threads", required_argument, NULL, READING_THREADS }, \
	{ "inline", no_argument, NULL, READING_INLINE }, \
	{ "lines", no_argument, NULL, READING_LINES }, \
	{ "no-demangle", no_argument, NULL, READING_NO_DEMANGLE }, \
	{ "tidy", no_argument, NULL, READING_TIDY }, \
	{ "help", no_argument, NULL, 'h' }
/* clang-format on */

static const struct option fold_options[] = {
	COMMON,
	{ "format", required_argument, NULL, KEY_FORMAT },
	{ "output", required_argument, NULL, 'o' },
	{ 0 },
};

static const struct option report_options[] = {
	COMMON,
	{ "rows", required_argument, NULL, 'n' },
	{ "by", required_argument, NULL, KEY_BY },
	{ "function", required_argument, NULL, KEY_FUNCTION },
	{ "csv", no_argument, NULL, KEY_CSV },
	{ "json", no_argument, NULL, KEY_JSON },
	{ 0 },
};

static int read_by(struct choice *choice, const char *text)
{
	static const char *const names[] = {
		[REPORT_BY_FUNCTION] = "function",
		[REPORT_BY_MODULE] = "module",
		[REPORT_BY_THREAD] = "thread",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i])) {
			choice->by = (enum report_by)i;
			return 0;
		}
	fprintf(stderr, "flametrap: --by %s: function, module or thread\n", text);
	return -EINVAL;
}

static int read_formats(struct choice *choice, const char *text, char *line, size_t bytes)
{
	static struct settings settings;
	int err = reading_setting("format", text, &settings, line, bytes);

	choice->formats = settings.formats;
	return err;
}

/* Returns 0, 1 when help was asked for, or -EINVAL. */
static int take(struct choice *choice, int key)
{
	char line[SETTINGS_LINE_MAX];
	int err = reading_take(&choice->reading, key, optarg, line, sizeof(line));

	if (key == 'n')
		err = reading_rows(optarg, &choice->rows, line, sizeof(line));
	if (key == KEY_FORMAT)
		err = read_formats(choice, optarg, line, sizeof(line));
	if (err == -EINVAL)
		say_line(line);
	if (err != -ENOENT)
		return err;
	switch (key) {
	case 'o':
		choice->output = optarg;
		return 0;
	case KEY_BY:
		return read_by(choice, optarg);
	case KEY_FUNCTION:
		choice->function = optarg;
		return 0;
	case KEY_CSV:
		choice->csv = true;
		return 0;
	case KEY_JSON:
		choice->json = true;
		return 0;
	case 'h':
		return 1;
	default:
		return -EINVAL;
	}
}

static int check(const struct choice *choice)
{
	const char *wrong = NULL;

	if (choice->csv && choice->json)
		wrong = "--csv and --json are two forms of the same report";
	else if (choice->function && choice->by == REPORT_BY_THREAD)
		wrong = "a thread has no callers: --function goes with --by function or module";
	else if (choice->formats & SETTINGS_FORMAT_SPOOL)
		wrong = "only a run keeps its spools: flametrap --format folded,svg,spool COMMAND";
	else if (choice->reading.counter && choice->output)
		wrong = "-o writes all counters: --counter goes with standard output";
	else if (!choice->output && (choice->formats & (choice->formats - 1)))
		wrong = "standard output takes one format: several go with -o STEM";
	if (wrong)
		say_line(wrong);
	return wrong ? -EINVAL : 0;
}

int choice_read(struct choice *choice, enum choice_verb verb, int argc, char **argv,
		const char *usage)
{
	const struct option *options = verb == CHOICE_REPORT ? report_options : fold_options;
	int answer = 0;
	int key;

	*choice = (struct choice){ .rows = ROWS_DEFAULT, .status = 2 };
	optind = 0; /* getopt_long(3): start anew, the launcher has used it before */
	while (!answer && (key = getopt_long(argc, argv, verb == CHOICE_REPORT ? "n:h" : "o:h",
					     options, NULL)) != -1)
		answer = take(choice, key);
	if (!answer)
		answer = check(choice);
	if (!answer && optind < argc)
		return optind;
	choice->status = answer == 1 ? 0 : 2;
	fputs(usage, answer == 1 ? stdout : stderr);
	return -1;
}
