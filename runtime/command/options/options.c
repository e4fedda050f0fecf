/* Values are texts of argv; those of settings are checked when the settings are read. */
#include "runtime/command/options/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int options_text(const char *text, void *field, char *line, size_t bytes)
{
	(void)line;
	(void)bytes;
	*(const char **)field = text;
	return 0;
}

int options_switch(const char *text, void *field, char *line, size_t bytes)
{
	return options_text(text ? text : "yes", field, line, bytes);
}

int options_flag(const char *text, void *field, char *line, size_t bytes)
{
	(void)text;
	(void)line;
	(void)bytes;
	*(bool *)field = true;
	return 0;
}

bool options_number(const char *text, unsigned least, unsigned most, unsigned *number)
{
	char *end;
	unsigned long found;

	errno = 0;
	found = strtoul(text, &end, 10);
	*number = (unsigned)found;
	return !errno && end != text && !*end && *text != '-' && found >= least && found <= most;
}
