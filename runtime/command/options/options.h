/*
 * Options: how their values are stored, and those of `flametrap run`, one for every row of the
 * settings table.
 */
#ifndef RUNTIME_COMMAND_OPTIONS_OPTIONS_H
#define RUNTIME_COMMAND_OPTIONS_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "config/settings/settings.h"

/* Read an option's value (NULL: it has none), which argv owns, into a field.  Returns 0; or -EINVAL
 * with `line` saying why the value is invalid. */
typedef int options_store(const char *text, void *field, char *line, size_t bytes);

options_store options_text;   /* into a const char *: the value itself */
options_store options_switch; /* likewise; an option that may stand without a value: "yes" */
options_store options_flag;   /* into a bool: true */

struct options {
	const char *value[SETTINGS_ROWS_MAX]; /* by row of settings_table; NULL: not given */
	bool help, version;		      /* asked for */
};

/* A message that begins with a variable and its value is changed to begin with the option, if that
 * was given instead: any option, or that of this setting. */
void options_name(const struct options *options, char *line, size_t bytes);
void options_name_one(const struct setting *setting, char *line, size_t bytes);

/* Read a whole number from `least` to `most`.  Returns whether the text is one. */
bool options_number(const char *text, unsigned least, unsigned most, unsigned *number);

#endif
