/*
 * Values are read by the settings' own parsers, so that the words are the same everywhere.
 */
#include "preload/launcher/reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "preload/launcher/arguments.h"
#include "preload/launcher/manual.h"
#include "preload/launcher/progress.h"

#define COLUMNS_DEFAULT 80 /* of a terminal that does not say */

int reading_setting(const char *name, const char *text, struct settings *settings, char *line,
		    size_t bytes)
{
	settings_defaults(settings);
	return settings_set(settings, settings_find(name), text, line, bytes) ? -EINVAL : 0;
}

int reading_take(struct reading *reading, int key, const char *text, char *line, size_t bytes)
{
	static struct settings settings;
	int err;

	switch (key) {
	case OPTION_COUNTER:
		reading->counter = text;
		return 0;
	case OPTION_WEIGHT:
		err = reading_setting("weight", text, &settings, line, bytes);
		reading->weight = settings.weight;
		return err;
	case OPTION_THREADS:
		err = reading_setting("threads", text, &settings, line, bytes);
		reading->threads = settings.threads;
		return err;
	case OPTION_INLINE:
		reading->inlined = true;
		return 0;
	case OPTION_LINES:
		reading->lines = true;
		return 0;
	case OPTION_NO_DEMANGLE:
		reading->no_demangle = true;
		return 0;
	case OPTION_TIDY:
		reading->tidy = true;
		return 0;
	default:
		return arguments_take_none(key, text, line, bytes, NULL);
	}
}

struct profile_options reading_profile(const struct reading *reading,
				       void (*warn)(const char *line))
{
	return (struct profile_options){
		.threads = reading->threads,
		.inlined = reading->inlined,
		.lines = reading->lines,
		.no_demangle = reading->no_demangle,
		.tidy = reading->tidy,
		.step = progress_step,
		.warn = warn,
	};
}

int reading_rows(const char *text, unsigned *rows, char *line, size_t bytes)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || number > 1000000) {
		snprintf(line, bytes, "--rows %s: a number from 0 (all) to 1000000", text);
		return -EINVAL;
	}
	*rows = (unsigned)number;
	return 0;
}

unsigned reading_columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return COLUMNS_DEFAULT;
	return size.ws_col;
}
