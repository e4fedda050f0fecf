/*
 * getopt_long over a table made from the settings: it reports which argument is wrong, so that
 * wrong usage is one line, where argp_parse would print two of its own.
 */
#include "runtime/command/options/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "runtime/command/options/arguments.h"

#define KEY_LONG    256 /* a row without a letter is KEY_LONG + its index */
#define KEY_HELP    'h'
#define KEY_VERSION 'V'

_Static_assert(OPTIONS_ROWS_MAX < KEY_LONG, "keys of rows do not meet letters twice");

struct table {
	char letters[2 * OPTIONS_ROWS_MAX + 8];
	struct option options[OPTIONS_ROWS_MAX + 3];
};

static void add_letter(struct table *table, int key, bool argument)
{
	size_t at = strlen(table->letters);

	table->letters[at++] = (char)key;
	if (argument)
		table->letters[at++] = ':';
	table->letters[at] = '\0';
}

static void make_table(struct table *table)
{
	struct option *option = table->options;

	*table = (struct table){ .letters = "+:" };
	for (size_t row = 0; row < settings_count && row < OPTIONS_ROWS_MAX; row++) {
		const struct setting *setting = &settings_table[row];

		if (!setting->option)
			continue;
		*option++ = (struct option){ .name = setting->option,
					     .has_arg = setting->flag ? optional_argument
								      : required_argument,
					     .val = KEY_LONG + (int)row };
		if (setting->key)
			add_letter(table, setting->key, true);
	}
	*option++ = (struct option){ .name = "help", .val = KEY_HELP };
	*option = (struct option){ .name = "version", .val = KEY_VERSION };
	add_letter(table, KEY_HELP, false);
	add_letter(table, KEY_VERSION, false);
}

/* Row of what getopt_long returned; settings_count if it is none. */
static size_t row_of(int key)
{
	if (key >= KEY_LONG)
		return (size_t)(key - KEY_LONG);
	for (size_t row = 0; row < settings_count; row++) {
		if (settings_table[row].key == key)
			return row;
	}
	return settings_count;
}

int options_parse(struct options *options, int argc, char **argv, char *line, size_t bytes)
{
	struct table table;
	int key;

	*options = (struct options){ 0 };
	make_table(&table);
	optind = 0; /* glibc's way to start anew: a verb may have been read before */
	opterr = 0;
	while ((key = getopt_long(argc, argv, table.letters, table.options, NULL)) != -1) {
		size_t row = row_of(key);

		if (row < settings_count)
			options->value[row] = optarg ? optarg : "yes";
		else if (key == KEY_HELP)
			options->help = true;
		else if (key == KEY_VERSION)
			options->version = true;
		else
			return arguments_complain(key, argv, "run", line, bytes);
	}
	options->command = optind;
	return 0;
}

bool options_given(const struct options *options, const char *variable)
{
	const struct setting *setting = settings_find(variable);

	return setting && options->value[setting - settings_table] != NULL;
}

void options_name_one(const struct setting *setting, char *line, size_t bytes)
{
	size_t length = strlen(setting->variable);
	char rest[SETTINGS_LINE_MAX];

	if (strncmp(line, setting->variable, length) != 0 || line[length] != '=')
		return;
	snprintf(rest, sizeof(rest), "%s", line + length);
	snprintf(line, bytes, "--%s%s", setting->option, rest);
}

void options_name(const struct options *options, char *line, size_t bytes)
{
	for (size_t row = 0; row < settings_count; row++)
		if (options->value[row])
			options_name_one(&settings_table[row], line, bytes);
}
