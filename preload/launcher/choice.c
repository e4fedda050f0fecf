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

static const struct option options[] = {
	{ "counter", required_argument, NULL, 'c' }, { "weight", required_argument, NULL, 'w' },
	{ "threads", required_argument, NULL, 't' }, { "rows", required_argument, NULL, 'n' },
	{ "help", no_argument, NULL, 'h' },	     { 0 },
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

/* Returns 0, 1 when help was asked for, or -EINVAL. */
static int read_options(struct choice *choice, int argc, char **argv)
{
	int err = 0;
	int key;

	optind = 0; /* getopt_long(3): start anew, the launcher has used it before */
	while (!err && (key = getopt_long(argc, argv, "n:h", options, NULL)) != -1) {
		if (key == 'h')
			return 1;
		if (key == 'c')
			choice->counter = optarg;
		else if (key == 'w')
			err = read_setting(choice, "weight", optarg);
		else if (key == 't')
			err = read_setting(choice, "threads", optarg);
		else if (key == 'n')
			err = read_rows(choice, optarg);
		else
			err = -EINVAL;
	}
	return err;
}

int choice_read(struct choice *choice, int argc, char **argv, const char *usage)
{
	int answer;

	*choice = (struct choice){ .rows = ROWS_DEFAULT, .status = 2 };
	answer = read_options(choice, argc, argv);
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
