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
	bool help, version;		      /* asked for */
	int command;			      /* index of COMMAND in argv; argc if there is none */
};

/* Read the options of `verb` up to COMMAND; argv[0] is skipped.  The last of two equal options
 * counts.  Values are not checked.  Returns true; or false with the exit status in *status, which
 * is `wrong` after a message about the options, or that of the help or version asked for. */
bool options_read(struct options *options, const char *verb, int argc, char **argv, int wrong,
		  int *status);

/* Returns true if the option of this variable was given. */
bool options_given(const struct options *options, const char *variable);

/* A message that begins with a variable and its value is changed to begin with the option, if that
 * was given instead: any option, or that of this setting. */
void options_name(const struct options *options, char *line, size_t bytes);
void options_name_one(const struct setting *setting, char *line, size_t bytes);

#endif
