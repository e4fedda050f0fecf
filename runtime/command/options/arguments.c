/*
 * getopt_long over a table made from the manual, so that what is accepted is what is documented.
 */
#include "runtime/command/options/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/command/base/say.h"
#include "runtime/command/options/help.h"
#include "runtime/command/options/manual.h"
#include "runtime/command/options/words.h"

#define LINE_BYTES 1024

struct table {
	char letters[2 * MANUAL_ROWS_MAX + 2];
	struct option options[MANUAL_ROWS_MAX + 1];
};

static void make_table(const struct manual *manual, struct table *table)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);
	char *letter = table->letters;

	*table = (struct table){ 0 };
	*letter++ = ':'; /* tell a missing value from an unknown option */
	for (size_t i = 0; i < count; i++) {
		table->options[i] = (struct option){
			.name = rows[i].name,
			.has_arg = rows[i].argument ? required_argument : no_argument,
			.val = rows[i].key,
		};
		if (!manual_letter(&rows[i]))
			continue;
		*letter++ = (char)rows[i].key;
		if (rows[i].argument)
			*letter++ = ':';
	}
}

static int unknown(const char *given, const struct manual *manual, char *line, size_t bytes)
{
	const char *answer = manual->settings ? words_option(given) : NULL;
	const char *foreign = NULL;
	const char *near = given[1] == '-' ? words_nearest_option(manual, given, &foreign) : NULL;

	if (answer)
		snprintf(line, bytes, "unknown option %.60s: %s", given, answer);
	else if (foreign)
		snprintf(line, bytes, "unknown option %.60s, nearest: --%s, which is none: %s",
			 given, near, foreign);
	else
		snprintf(line, bytes, "unknown option %.60s%s%s; see flametrap %s --help", given,
			 near ? ", nearest: --" : "", near ? near : "", manual->name);
	return -EINVAL;
}

int arguments_complain(int key, char **argv, const char *verb, char *line, size_t bytes)
{
	char letter[3] = { '-', (char)optopt, '\0' };
	const char *last = argv[optind - 1];
	bool is_long = strncmp(last, "--", 2) == 0;
	const char *given = is_long || !optopt ? last : letter;
	const char *why = " takes no value";

	if (key != ':' && !(is_long && optopt))
		return unknown(given, manual_find(verb), line, bytes);
	if (key == ':')
		why = " needs a value";
	snprintf(line, bytes, "option %.60s%s; see flametrap %s --help", given, why, verb);
	return -EINVAL;
}

static int check_count(const struct manual *manual, unsigned count)
{
	if (count >= manual->least && count <= manual->most)
		return 0;
	say("%s arguments; usage: flametrap %s", count < manual->least ? "too few" : "too many",
	    manual->synopsis[0]);
	return -EINVAL;
}

/* Returns 0, 1 after help was printed, or -EINVAL. */
static int read_options(const struct manual *manual, int argc, char **argv, arguments_take *take,
			void *context)
{
	struct table table;
	char line[LINE_BYTES];
	int key;

	make_table(manual, &table);
	optind = 0; /* glibc's way to start anew: a verb may have been read before */
	opterr = 0;
	while ((key = getopt_long(argc, argv, table.letters, table.options, NULL)) != -1) {
		int err;

		if (key == 'h')
			return 1;
		err = key == '?' || key == ':'
			      ? arguments_complain(key, argv, manual->name, line, sizeof(line))
			      : take(key, optarg, line, sizeof(line), context);
		if (err) {
			say_line(line);
			return err;
		}
	}
	return check_count(manual, (unsigned)(argc - optind));
}

int arguments_read(const char *verb, int argc, char **argv, arguments_take *take, void *context,
		   int *status)
{
	const struct manual *manual = manual_find(verb);
	int answer = read_options(manual, argc, argv, take, context);

	if (!answer)
		return optind;
	*status = answer > 0 ? help_verb(manual) : 2;
	return -1;
}

int arguments_take_none(int key, const char *text, char *line, size_t bytes, void *context)
{
	(void)key;
	(void)text;
	(void)context;
	snprintf(line, bytes, "no such option");
	return -EINVAL;
}
