/*
 * The values of settings, stored by their rows in the settings table.
 */
#include "runtime/command/options/options.h"

#include <stdio.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/options/help.h"
#include "runtime/command/options/manual.h"

#define LINE_BYTES 1024

static int take(int key, const char *text, char *line, size_t bytes, void *context)
{
	struct options *options = context;

	(void)line;
	(void)bytes;
	if (key == 'h')
		options->help = true;
	else if (key == 'V')
		options->version = true;
	else
		options->value[manual_setting(key)] = text ? text : "yes";
	return 0;
}

bool options_read(struct options *options, const char *verb, int argc, char **argv, int wrong,
		  int *status)
{
	char line[LINE_BYTES];

	*options = (struct options){ 0 };
	if (arguments_parse(&manual_run, argc, argv, take, options, &options->command, line,
			    sizeof(line))) {
		status_line_text(line);
		*status = wrong;
		return false;
	}
	if (options->help)
		*status = help_topic(verb);
	else if (options->version)
		*status = help_version();
	return !options->help && !options->version;
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
