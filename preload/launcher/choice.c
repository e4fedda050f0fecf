/*
 * getopt_long does the reading and complains in the words of all programs.
 */
#include "preload/launcher/choice.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_DEFAULT 20

enum {
	KEY_COUNTER = 0x100,
	KEY_WEIGHT,
	KEY_THREADS,
	KEY_INLINE,
	KEY_LINES,
	KEY_BY,
	KEY_FUNCTION,
	KEY_CSV,
	KEY_JSON,
};

/* clang-format off */
#define COMMON                                                      \
	{ "counter", required_argument, NULL, KEY_COUNTER },        \
	{ "weight", required_argument, NULL, KEY_WEIGHT },          \
	{ "threads", required_argument, NULL, KEY_THREADS },        \
	{ "inline", no_argument, NULL, KEY_INLINE },                \
	{ "lines", no_argument, NULL, KEY_LINES },                  \
	{ "help", no_argument, NULL, 'h' }
/* clang-format on */

static const struct option fold_options[] = { COMMON, { 0 } };

static const struct option report_options[] = {
	COMMON,
	{ "rows", required_argument, NULL, 'n' },
	{ "by", required_argument, NULL, KEY_BY },
	{ "function", required_argument, NULL, KEY_FUNCTION },
	{ "csv", no_argument, NULL, KEY_CSV },
	{ "json", no_argument, NULL, KEY_JSON },
	{ 0 },
};

/* A setting's own parser reads its value, so that the words are the same everywhere. */
static int read_setting(struct choice *choice, const char *name, const char *text)
{
	static struct settings settings;
	const struct setting *setting = settings_find(name);
	char line[512];

	settings_defaults(&settings);
	if (settings_set(&settings, setting, text, line, sizeof(line))) {
		fprintf(stderr, "flametrap: %s\n", line);
		return -EINVAL;
	}
	if (!strcmp(name, "weight"))
		choice->weight = settings.weight;
	else
		choice->threads = settings.threads;
	return 0;
}

static int read_rows(struct choice *choice, const char *text)
{
	char *end;
	unsigned long rows;

	errno = 0;
	rows = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || rows > 1000000) {
		fprintf(stderr, "flametrap: --rows %s: a number from 0 (all) to 1000000\n", text);
		return -EINVAL;
	}
	choice->rows = (unsigned)rows;
	return 0;
}

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

/* Returns 0, 1 when help was asked for, or -EINVAL. */
static int take(struct choice *choice, int key)
{
	switch (key) {
	case KEY_COUNTER:
		choice->counter = optarg;
		return 0;
	case KEY_WEIGHT:
		return read_setting(choice, "weight", optarg);
	case KEY_THREADS:
		return read_setting(choice, "threads", optarg);
	case KEY_INLINE:
		choice->inlined = true;
		return 0;
	case KEY_LINES:
		choice->lines = true;
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
	case 'n':
		return read_rows(choice, optarg);
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
	if (wrong)
		fprintf(stderr, "flametrap: %s\n", wrong);
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
	while (!answer && (key = getopt_long(argc, argv, verb == CHOICE_REPORT ? "n:h" : "h",
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

void choice_warn(const char *line)
{
	fprintf(stderr, "flametrap: %s\n", line);
}
