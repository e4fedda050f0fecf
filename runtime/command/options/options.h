/*
 * The command line of `flametrap run`: an option for every row of the settings table.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_OPTIONS_H
#define RUNTIME_COMMAND_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings/settings.h"

struct options {
	const char *value[SETTINGS_ROWS_MAX]; /* by row of settings_table; NULL: not given */
	bool help;
	bool version;
	int command; /* index of COMMAND in argv; argc if there is none */
};

/* Read options up to COMMAND; argv[0] is skipped.  The last of two equal options counts.  Returns
 * 0; or -EINVAL with `line` filled.  Values are not checked. */
int options_parse(struct options *options, int argc, char **argv, char *line, size_t bytes);

/* Returns true if the option of this variable was given. */
bool options_given(const struct options *options, const char *variable);

/* A message that begins with a variable and its value is changed to begin with the option, if that
 * was given instead: any option, or that of this setting. */
void options_name(const struct options *options, char *line, size_t bytes);
void options_name_one(const struct setting *setting, char *line, size_t bytes);

#endif
