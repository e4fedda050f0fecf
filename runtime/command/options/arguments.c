/*
 * getopt_long over a table made from the manual, so that each accepted option is documented.  The
 * command has no other caller of getopt_long.
 */
#include "runtime/command/options/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/help.h"
#include "runtime/command/options/manual.h"
#include "runtime/command/options/suggestions.h"

#define LINE_BYTES 1024

#define HELP_ASKED 1 /* of take_or_help() */

struct table {
	char letters[2 * MANUAL_ROWS_MAX + 3];
	struct option options[MANUAL_ROWS_MAX + 1];
};

const struct arguments_option arguments_only_flag[] = { { 0, arguments_flag, 0 } };

static void make_table(const struct manual *manual, struct table *table)
{
	struct manual_option rows[MANUAL_ROWS_MAX];
	size_t count = manual_options(manual, rows);
	char *letter = table->letters;

	*table = (struct table){ 0 };
	if (manual->settings)
		*letter++ = '+'; /* the options end at COMMAND */
	if (manual->in_order)
		*letter++ = '-'; /* operands have the key 1, which is OPTION_OPERAND */
	*letter++ = ':';	 /* tell a missing value from an unknown option */
	for (size_t i = 0; i < count; i++) {
		table->options[i] = (struct option){
			.name = rows[i].name,
			.has_arg = !rows[i].argument		  ? no_argument
				   : manual_is_optional(&rows[i]) ? optional_argument
								  : required_argument,
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
	const char *answer = manual->settings ? suggestions_option(given) : NULL;
	const char *foreign = NULL;
	const char *near =
		given[1] == '-' ? suggestions_nearest_option(manual, given, &foreign) : NULL;

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

/* Describes the error for which getopt_long() has just returned '?', or ':' (a missing value). */
static int complain(int key, char **argv, const struct manual *manual, char *line, size_t bytes)
{
	char letter[3] = { '-', (char)optopt, '\0' };
	const char *last = argv[optind - 1];
	bool is_long = strncmp(last, "--", 2) == 0;
	const char *given = is_long || !optopt ? last : letter;
	const char *why = " takes no value";

	if (key != ':' && !(is_long && optopt))
		return unknown(given, manual, line, bytes);
	if (key == ':')
		why = " needs a value";
	snprintf(line, bytes, "option %.60s%s; see flametrap %s --help", given, why, manual->name);
	return -EINVAL;
}

int arguments_parse(const struct manual *manual, int argc, char **argv, arguments_take *take,
		    void *context, int *first, char *line, size_t bytes)
{
	struct table table;
	int key;

	make_table(manual, &table);
	optind = 0; /* resets glibc's parser: a verb may have been read before */
	opterr = 0;
	while ((key = getopt_long(argc, argv, table.letters, table.options, NULL)) != -1) {
		int answer = key == '?' || key == ':' ? complain(key, argv, manual, line, bytes)
						      : take(key, optarg, line, bytes, context);

		if (answer)
			return answer;
	}
	*first = optind;
	for (; manual->in_order && *first < argc; ++*first) {
		int answer = take(OPTION_OPERAND, argv[*first], line, bytes, context);

		if (answer)
			return answer;
	}
	return 0;
}

int arguments_check_count(const char *verb, size_t count)
{
	const struct manual *manual = manual_find(verb);

	if (count >= manual->least && count <= manual->most)
		return 0;
	status_line("%s arguments; usage: flametrap %s",
		    count < manual->least ? "too few" : "too many", manual->synopsis[0]);
	return -EINVAL;
}

/* Takes --help by itself, and all others by the parts of the verb. */
static int take_or_help(int key, const char *text, char *line, size_t bytes, void *context)
{
	if (key == 'h')
		return HELP_ASKED;
	for (const struct arguments_part *part = context; part->options; part++) {
		const struct arguments_option *option = part->options;

		while (option->store && option->key && option->key != key)
			option++;
		if (option->store)
			return option->store(text, (char *)part->filled + option->field, line,
					     bytes);
	}
	snprintf(line, bytes, "no such option");
	return -EINVAL;
}

int arguments_read(const char *verb, int argc, char **argv, const struct arguments_part *parts,
		   int *status)
{
	const struct manual *manual = manual_find(verb);
	char line[LINE_BYTES];
	int first;
	int answer = arguments_parse(manual, argc, argv, take_or_help, (void *)parts, &first, line,
				     sizeof(line));

	if (answer == HELP_ASKED) {
		*status = help_verb(manual);
		return -1;
	}
	if (answer)
		status_line_text(line);
	else if (manual->in_order || !arguments_check_count(verb, (size_t)(argc - first)))
		return first;
	*status = 2;
	return -1;
}

int arguments_text(const char *text, void *field, char *line, size_t bytes)
{
	(void)line;
	(void)bytes;
	*(const char **)field = text;
	return 0;
}

int arguments_flag(const char *text, void *field, char *line, size_t bytes)
{
	(void)text;
	(void)line;
	(void)bytes;
	*(bool *)field = true;
	return 0;
}
