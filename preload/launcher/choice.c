/*
 * What fold and report take, and which of it does not go together.
 */
#include "preload/launcher/choice.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "preload/launcher/arguments.h"
#include "preload/launcher/manual.h"
#include "preload/launcher/say.h"

#define ROWS_DEFAULT 20

static int read_by(struct choice *choice, const char *text, char *line, size_t bytes)
{
	static const char *const names[] = {
		[REPORT_BY_FUNCTION] = "function",
		[REPORT_BY_MODULE] = "module",
		[REPORT_BY_THREAD] = "thread",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(text, names[i])) {
			choice->by = (enum report_by)i;
			return 0;
		}
	snprintf(line, bytes, "--by %.60s: function, module or thread", text);
	return -EINVAL;
}

static int read_formats(struct choice *choice, const char *text, char *line, size_t bytes)
{
	static struct settings settings;
	int err = reading_setting("format", text, &settings, line, bytes);

	choice->formats = settings.formats;
	return err;
}

static int take(int key, const char *text, char *line, size_t bytes, void *context)
{
	struct choice *choice = context;

	switch (key) {
	case 'n':
		return reading_rows(text, &choice->rows, line, bytes);
	case OPTION_FORMAT:
		return read_formats(choice, text, line, bytes);
	case OPTION_BY:
		return read_by(choice, text, line, bytes);
	case 'o':
		choice->output = text;
		return 0;
	case OPTION_FUNCTION:
		choice->function = text;
		return 0;
	case OPTION_CSV:
		choice->csv = true;
		return 0;
	case OPTION_JSON:
		choice->json = true;
		return 0;
	default:
		return reading_take(&choice->reading, key, text, line, bytes);
	}
}

static int check(const struct choice *choice)
{
	const char *wrong = NULL;

	if (choice->csv && choice->json)
		wrong = "--csv and --json are two forms of the same report";
	else if (choice->function && choice->by == REPORT_BY_THREAD)
		wrong = "a thread has no callers: --function goes with --by function or module";
	else if (choice->formats & SETTINGS_FORMAT_SPOOL)
		wrong = "only a run keeps its spools: flametrap --format folded,svg,spool COMMAND";
	else if (choice->reading.counter && choice->output)
		wrong = "-o writes all counters: --counter goes with standard output";
	else if (!choice->output && (choice->formats & (choice->formats - 1)))
		wrong = "standard output takes one format: several go with -o STEM";
	if (wrong)
		say_line(wrong);
	return wrong ? -EINVAL : 0;
}

int choice_read(struct choice *choice, const char *verb, int argc, char **argv)
{
	int first;

	*choice = (struct choice){ .rows = ROWS_DEFAULT, .status = 2 };
	first = arguments_read(verb, argc, argv, take, choice, &choice->status);
	return first < 0 || check(choice) ? -1 : first;
}
