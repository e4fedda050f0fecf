/*
 * getopt_long over a table made from the manual, so that each accepted option is documented.  The
 * command has no other caller of getopt_long.
 */
#include "runtime/command/options/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/manual_text.h"

#define LINE_BYTES    1024
#define KEY_OPERAND   1	    /* getopt's key of an operand in its place */
#define KEY_NO_LETTER 0x100 /* and the row: the key of an option without a letter */

struct table {
	struct manual_option rows[MANUAL_ROWS_MAX];
	char letters[2 * MANUAL_ROWS_MAX + 3];
	struct option options[MANUAL_ROWS_MAX + 1];
};

static void make_table(const struct manual *manual, struct table *table)
{
	size_t count = manual_options(manual, table->rows);
	char *letter = table->letters;

	memset(table->letters, 0, sizeof(table->letters));
	memset(table->options, 0, sizeof(table->options));
	if (manual->settings)
		*letter++ = '+'; /* the options end at COMMAND */
	if (manual->operand)
		*letter++ = '-';
	*letter++ = ':'; /* tell a missing value from an unknown option */
	for (size_t i = 0; i < count; i++) {
		const struct manual_option *row = &table->rows[i];

		table->options[i] = (struct option){
			.name = row->name,
			.has_arg = !row->argument	     ? no_argument
				   : manual_is_optional(row) ? optional_argument
							     : required_argument,
			.val = row->letter ? row->letter : KEY_NO_LETTER + (int)i,
		};
		if (!row->letter)
			continue;
		*letter++ = row->letter;
		if (row->argument)
			*letter++ = ':';
	}
}

static const struct manual_option *row_of(const struct table *table, int key)
{
	const struct manual_option *row = table->rows;

	if (key >= KEY_NO_LETTER)
		return &table->rows[key - KEY_NO_LETTER];
	while (row->letter != key)
		row++;
	return row;
}

static void *struct_of(const struct manual *manual, const struct manual_option *row,
		       void *const *filled)
{
	for (size_t group = 0; group < MANUAL_GROUPS && manual->options[group]; group++)
		for (const struct manual_option *own = manual->options[group]; own->name; own++)
			if (own->name == row->name)
				return filled[group + manual->settings];
	return manual->settings ? filled[0] : NULL;
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

	if (key != ':' && !(is_long && optopt))
		return unknown(given, manual, line, bytes);
	return refuse(line, bytes, -EINVAL, "option %.60s%s; see flametrap %s --help", given,
		      key == ':' ? " needs a value" : " takes no value", manual->name);
}

int arguments_check_count(const struct manual *manual, size_t count)
{
	if (count >= manual->least && count <= manual->most)
		return 0;
	return fail(-EINVAL, "%s arguments; usage: flametrap %s",
		    count < manual->least ? "too few" : "too many", manual->synopsis[0]);
}

int arguments_read(const struct manual *manual, int argc, char **argv, void *const *filled,
		   int *status)
{
	struct table table;
	char line[LINE_BYTES];
	int key, err = 0;

	make_table(manual, &table);
	optind = 0; /* resets glibc's parser: a verb may have been read before */
	opterr = 0;
	while (!err && (key = getopt_long(argc, argv, table.letters, table.options, NULL)) != -1) {
		const struct manual_option *row;

		if (key == '?' || key == ':') {
			err = complain(key, argv, manual, line, sizeof(line));
		} else if (key == KEY_OPERAND) {
			err = manual->operand(optarg, filled[0], line, sizeof(line));
		} else if ((row = row_of(&table, key))->store) {
			err = row->store(optarg,
					 (char *)struct_of(manual, row, filled) + row->field, line,
					 sizeof(line));
		} else {
			manual_print_verb(manual);
			*status = status_line_flushed();
			return -1;
		}
	}
	for (int i = optind; !err && manual->operand && i < argc; i++)
		err = manual->operand(argv[i], filled[0], line, sizeof(line));
	if (err)
		status_line_text(line);
	else if (manual->settings || manual->operand ||
		 !arguments_check_count(manual, (size_t)(argc - optind)))
		return optind;
	return -1;
}

const struct manual_option manual_asked[] = {
	{ "version", 'V', NULL, NULL, options_flag, offsetof(struct options, version),
	  "print the version" },
	{ "help", 'h', NULL, NULL, options_flag, offsetof(struct options, help), "print this" },
	{ 0 },
};

int arguments_read_run(struct options *options, const struct manual *manual, int argc, char **argv,
		       int *status)
{
	int first;

	*options = (struct options){ 0 };
	first = arguments_read(&manual_run, argc, argv, ARGUMENTS(options, options), status);
	if (first < 0 || (!options->help && !options->version))
		return first;
	if (options->help)
		manual_print_verb(manual);
	else
		manual_print_version();
	*status = status_line_flushed();
	return -1;
}
