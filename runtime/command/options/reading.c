/*
 * The settings' own parsers read the values, so that the accepted words are the same everywhere.
 */
#include "runtime/command/options/reading.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "runtime/command/base/progress.h"
#include "runtime/command/base/say.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/options/manual.h"
#include "runtime/command/options/options.h"
#include "runtime/fold/formats/input.h"
#include "runtime/fold/profile/frame_tree.h"
#include "runtime/fold/profile/selection.h"

#define COLUMNS_DEFAULT 80 /* for a terminal that does not report its width */

int reading_setting(const char *name, const char *text, struct settings *settings, char *line,
		    size_t bytes)
{
	const struct setting *setting = settings_find(name);

	settings_defaults(settings);
	if (!settings_set(settings, setting, text, line, bytes))
		return 0;
	options_name_one(setting, line, bytes);
	return -EINVAL;
}

static int read_by(const char *text, enum report_by *by, char *line, size_t bytes)
{
	for (unsigned i = 0; i < REPORT_BY_COUNT; i++)
		if (!strcmp(text, report_by_name((enum report_by)i))) {
			*by = (enum report_by)i;
			return 0;
		}
	snprintf(line, bytes,
		 "--by %.60s is not one of function, module, thread, process, file or line", text);
	return -EINVAL;
}

static int read_sort(const char *text, enum reading_sort *sort, char *line, size_t bytes)
{
	*sort = !strcmp(text, "self")	 ? READING_SORT_SELF
		: !strcmp(text, "total") ? READING_SORT_TOTAL
					 : READING_SORT_NONE;
	if (*sort)
		return 0;
	snprintf(line, bytes, "--sort %.60s is neither self nor total", text);
	return -EINVAL;
}

static int add_rule(struct reading *reading, enum selection_rule rule, const char *text, char *line,
		    size_t bytes)
{
	int err = selection_add(&reading->selection, rule, text, line, bytes);

	if (err == -ENOMEM)
		snprintf(line, bytes, "%s", strerror(ENOMEM));
	return err ? -EINVAL : 0;
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
	case OPTION_BY:
		return read_by(text, &reading->by, line, bytes);
	case OPTION_SORT:
		return read_sort(text, &reading->sort, line, bytes);
	case OPTION_FOCUS:
		return add_rule(reading, SELECTION_FOCUS, text, line, bytes);
	case OPTION_IGNORE:
		return add_rule(reading, SELECTION_IGNORE, text, line, bytes);
	case OPTION_TREE:
		reading->tree = true;
		return 0;
	case OPTION_MERGE:
		reading->merge = true;
		return 0;
	default:
		return arguments_take_none(key, text, line, bytes, NULL);
	}
}

void reading_free(struct reading *reading)
{
	selection_free(reading->selection);
	reading->selection = NULL;
}

struct profile_options reading_profile(const struct reading *reading,
				       void (*warn)(const char *line))
{
	bool by_thread = reading->by == REPORT_BY_THREAD;

	return (struct profile_options){
		.threads = by_thread && reading->threads == SETTINGS_THREADS_MERGE
				   ? SETTINGS_THREADS_NAME
				   : reading->threads,
		.processes = reading->by == REPORT_BY_PROCESS,
		.modules = reading->by == REPORT_BY_MODULE,
		.files = reading->by == REPORT_BY_FILE,
		.inlined = reading->inlined,
		.lines = reading->lines || reading->by == REPORT_BY_LINE,
		.no_demangle = reading->no_demangle,
		.tidy = reading->tidy,
		.selection = reading->selection,
		.step = progress_step,
		.warn = warn,
	};
}

int reading_check(const struct reading *reading, const struct input *input)
{
	if (!input->folded_count || reading->by == REPORT_BY_FUNCTION ||
	    reading->by == REPORT_BY_PROCESS)
		return 0;
	say("--by %s needs a spool, and %s is a folded file, which holds names of functions only: "
	    "flametrap --format folded,svg,spool COMMAND keeps the spools of a run",
	    report_by_name(reading->by), input->folded[0]);
	return -EINVAL;
}

size_t reading_outer(const struct reading *reading)
{
	bool threads =
		reading->by == REPORT_BY_THREAD || reading->threads != SETTINGS_THREADS_MERGE;
	bool processes = reading->by == REPORT_BY_PROCESS;

	return threads || processes ? 1 + (size_t)threads + processes : 0;
}

void reading_order(const struct reading *reading, struct frame_tree *tree)
{
	if (reading->sort != READING_SORT_NONE)
		frame_tree_sort_by(tree, reading->sort == READING_SORT_TOTAL);
}

int reading_rows(const char *text, unsigned *rows, char *line, size_t bytes)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (errno || end == text || *end || *text == '-' || number > 1000000) {
		snprintf(line, bytes, "--rows %s is not a number from 0 (all) to 1000000", text);
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
