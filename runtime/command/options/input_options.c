/* The settings' own parsers read the values, so that the accepted words are the same everywhere. */
#include "runtime/command/options/input_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "config/settings/env.h"
#include "runtime/command/base/status_line.h"
#include "runtime/command/options/manual.h"
#include "runtime/profile/input/input.h"
#include "runtime/profile/tree/frame_tree.h"
#include "runtime/profile/analysis/selection.h"
#include "runtime/spool/format_log.h"

#define LABEL		"label:"
#define COLUMNS_DEFAULT 80 /* for a terminal that does not report its width */

int input_options_setting(const struct setting *setting, const char *text, unsigned *words,
			  char *line, size_t bytes)
{
	static struct settings settings;

	settings_defaults(&settings);
	if (settings_set(&settings, setting, text, line, bytes)) {
		options_name_one(setting, line, bytes);
		return -EINVAL;
	}
	memcpy(words, (char *)&settings + setting->rule.field, sizeof(*words));
	return 0;
}

static int take_weight(const char *text, void *field, char *line, size_t bytes)
{
	return input_options_setting(SETTING(weight), text, field, line, bytes);
}

/* Returns whether the text is "label:KEY": 1 with the key; 0; or -EINVAL with `line` filled. */
static int take_label(const char *text, const char **key, char *line, size_t bytes)
{
	if (strncmp(text, LABEL, strlen(LABEL)) != 0)
		return 0;
	*key = text + strlen(LABEL);
	if (**key && strlen(*key) <= SPOOL_LABEL_KEY_MAX)
		return 1;
	return refuse(line, bytes, -EINVAL,
		      **key ? "the key of a label has at most %u bytes"
			    : "label: is followed by the label's key of up to %u bytes: "
			      "label:request",
		      SPOOL_LABEL_KEY_MAX);
}

static int take_threads(const char *text, void *field, char *line, size_t bytes)
{
	struct input_options *reading = field;
	int found = take_label(text, &reading->threads_label, line, bytes);

	if (found)
		return found < 0 ? found : 0;
	reading->threads_label = NULL;
	return input_options_setting(SETTING(threads), text, (unsigned *)&reading->threads, line,
				     bytes);
}

static int take_interp(const char *text, void *field, char *line, size_t bytes)
{
	unsigned asked;
	int err = input_options_setting(SETTING(interp), text, &asked, line, bytes);

	if (!err)
		*(unsigned *)field = 1 + asked;
	return err;
}

static int take_by(const char *text, void *field, char *line, size_t bytes)
{
	struct input_options *reading = field;
	int found = take_label(text, &reading->by_label, line, bytes);

	if (found) {
		reading->by = REPORT_BY_LABEL;
		return found < 0 ? found : 0;
	}
	for (unsigned i = 0; i < REPORT_BY_LABEL; i++)
		if (!strcmp(text, report_by_name((enum report_by)i))) {
			reading->by = (enum report_by)i;
			return 0;
		}
	return refuse(line, bytes, -EINVAL,
		      "--by %.60s is not one of function, module, thread, process, file, line or "
		      "label:KEY",
		      text);
}

static int take_only(const char *text, void *field, char *line, size_t bytes)
{
	struct input_options *reading = field;
	const char *sign = strchr(text, '=');

	free(reading->only);
	reading->only = NULL;
	if (!sign || sign == text || !sign[1])
		return refuse(line, bytes, -EINVAL, "--label %.60s is not of the form KEY=VALUE",
			      text);
	reading->only = strndup(text, (size_t)(sign - text));
	reading->only_value = sign + 1;
	if (reading->only)
		return 0;
	return refuse(line, bytes, -ENOMEM, "%s", strerror(ENOMEM));
}

int input_options_sort(const char *text, void *field, char *line, size_t bytes)
{
	enum input_options_sort *sort = field;

	*sort = !strcmp(text, "self")	 ? INPUT_OPTIONS_SORT_SELF
		: !strcmp(text, "total") ? INPUT_OPTIONS_SORT_TOTAL
					 : INPUT_OPTIONS_SORT_NONE;
	if (*sort)
		return 0;
	return refuse(line, bytes, -EINVAL, "--sort %.60s is neither self nor total", text);
}

static int add_rule(struct selection **selection, enum selection_rule rule, const char *text,
		    char *line, size_t bytes)
{
	int err = selection_add(selection, rule, text, line, bytes);

	if (err == -ENOMEM)
		snprintf(line, bytes, "%s", strerror(ENOMEM));
	return err ? -EINVAL : 0;
}

static int take_focus(const char *text, void *field, char *line, size_t bytes)
{
	return add_rule(field, SELECTION_FOCUS, text, line, bytes);
}

static int take_ignore(const char *text, void *field, char *line, size_t bytes)
{
	return add_rule(field, SELECTION_IGNORE, text, line, bytes);
}

static int take_hide(const char *text, void *field, char *line, size_t bytes)
{
	return add_rule(field, SELECTION_HIDE, text, line, bytes);
}

int input_options_from(const char *text, void *field, char *line, size_t bytes)
{
	return window_parse("from", text, field, line, bytes);
}

int input_options_to(const char *text, void *field, char *line, size_t bytes)
{
	return window_parse("to", text, field, line, bytes);
}

static int take_last(const char *text, void *field, char *line, size_t bytes)
{
	struct window_moment *moment = field;
	int err = window_parse("last", text, moment, line, bytes);

	if (!err && moment->base != WINDOW_START)
		return refuse(line, bytes, -EINVAL,
			      "--last is '%.60s', not a duration (30s, 200ms)", text);
	moment->base = WINDOW_END;
	return err;
}

const struct manual_option manual_reading[] = {
	{ "counter", 0, "NAME", NULL, options_text, offsetof(struct input_options, counter),
	  "one counter of the spools; without it report, graph and diff show all, fold the first" },
	{ "weight", 0, "KIND", "auto samples events", take_weight,
	  offsetof(struct input_options, weight),
	  "samples, events (those that the samples stand for), or auto: samples, but nanoseconds "
	  "of off-cpu; the default is auto, of diff events" },
	{ "threads", 0, "HOW", "merge name id", take_threads, 0,
	  "a frame for each thread, by name or id, or for each value of a label (label:KEY); "
	  "the default, merge, adds none" },
	{ "by", 0, "WHAT", "function module thread process file line", take_by, 0,
	  "what frames, and the rows of tables, are: function (the default), module, thread, "
	  "process (the command with its pid), file, line, or the value of a label (label:KEY); "
	  "all but function and process need spools" },
	{ "focus", 0, "REGEX", NULL, take_focus, offsetof(struct input_options, selection),
	  "only stacks with a frame that matches this POSIX extended regular expression; the "
	  "command is a frame too; of several any may match" },
	{ "ignore", 0, "REGEX", NULL, take_ignore, offsetof(struct input_options, selection),
	  "only stacks without a frame that matches" },
	{ "hide", 0, "REGEX", NULL, take_hide, offsetof(struct input_options, selection),
	  "without the frames that match: what was in them belongs to their callers, in tables, "
	  "folded stacks and flame graphs ('_\\[k\\]$': the kernel's)" },
	{ "label", 0, "KEY=VALUE", NULL, take_only, 0,
	  "only samples of threads that had this label, set by flametrap_label(); spools only" },
	{ "from", 0, "TIME", NULL, input_options_from, offsetof(struct input_options, window.from),
	  "only what happened from that time on, and of time off the processor the part behind it: "
	  "seconds or a duration since the start (1.5, 200ms), before the end (-5s), or local time "
	  "(14:02:33, 2026-11-23T14:02:33, or with Z or +01:00 behind it); spools only, like --to "
	  "and --last" },
	{ "to", 0, "TIME", NULL, input_options_to, offsetof(struct input_options, window.to),
	  "only what happened before that time" },
	{ "last", 0, "DURATION", NULL, take_last, offsetof(struct input_options, window.from),
	  "only the last part, up to now while a process runs; the same as --from -DURATION" },
	{ "interp", 0, "HOW", "merge only no", take_interp, offsetof(struct input_options, interp),
	  "functions of interpreted programs, name_[p]: merge shows them in the native stacks, "
	  "without the interpreter's own calls between them, only leaves native functions out, and "
	  "no shows native functions alone; the default is what the run was asked for; only and no "
	  "also leave frames of a folded file out, by the suffixes of their names" },
	{ "inline", 0, NULL, NULL, options_flag, offsetof(struct input_options, inlined),
	  "frames of inlined functions, name_[i]; spools only, like the next three" },
	{ "lines", 0, NULL, NULL, options_flag, offsetof(struct input_options, lines),
	  "file and line in names, name:file:line" },
	{ "no-demangle", 0, NULL, NULL, options_flag, offsetof(struct input_options, no_demangle),
	  "names of C++, Rust and D functions as the linker knows them" },
	{ "tidy", 0, NULL, NULL, options_flag, offsetof(struct input_options, tidy),
	  "copies and parts that the compiler made of a function (.isra.0, .constprop.0, .part.1) "
	  "under its own name" },
	{ "tree", 0, NULL, NULL, options_flag, offsetof(struct input_options, tree),
	  "with a PID, also all processes that it started" },
	{ "merge", 0, NULL, NULL, options_flag, offsetof(struct input_options, merge),
	  "read spools of different commands, or of several runs of one, as one profile, which is "
	  "refused without it" },
	{ 0 },
};

void input_options_free(struct input_options *reading)
{
	selection_free(reading->selection);
	free(reading->only);
	reading->only = NULL;
	reading->selection = NULL;
}

struct profile_options input_options_profile(const struct input_options *reading,
					     void (*warn)(const char *line))
{
	bool by_thread = reading->by == REPORT_BY_THREAD;

	return (struct profile_options){
		.threads = by_thread && reading->threads == SETTINGS_THREADS_MERGE
				   ? SETTINGS_THREADS_NAME
				   : reading->threads,
		.only_key = reading->only,
		.only_value = reading->only_value,
		.processes = reading->by == REPORT_BY_PROCESS,
		.label =
			reading->by == REPORT_BY_LABEL ? reading->by_label : reading->threads_label,
		.modules = reading->by == REPORT_BY_MODULE,
		.files = reading->by == REPORT_BY_FILE,
		.interp = reading->interp,
		.inlined = reading->inlined,
		.lines = reading->lines || reading->by == REPORT_BY_LINE,
		.no_demangle = reading->no_demangle,
		.tidy = reading->tidy,
		.selection = reading->selection,
		.window = reading->window,
		.step = progress_step,
		.warn = warn,
	};
}

int input_options_check(const struct input_options *reading, const struct input *input)
{
	if (input->folded_count && window_is_set(&reading->window))
		return fail(
			-EINVAL,
			"--from, --to and --last need a spool, and %s is a folded file, which has "
			"no "
			"times: flametrap --format folded,spool COMMAND keeps the spools of a run",
			input->folded[0]);
	bool by_name = reading->by == REPORT_BY_FUNCTION || reading->by == REPORT_BY_PROCESS;

	if (input->folded_count && (reading->only || reading->threads_label))
		return fail(-EINVAL,
			    "%s needs a spool, and %s is a folded file, which holds no labels",
			    reading->only ? "--label" : "--threads label", input->folded[0]);
	if (!input->folded_count || by_name)
		return 0;
	return fail(-EINVAL,
		    "--by %s needs a spool, and %s is a folded file, which holds names of "
		    "functions only: "
		    "flametrap --format folded,svg,spool COMMAND keeps the spools of a run",
		    report_by_name(reading->by), input->folded[0]);
}

int input_options_counter(const struct input_options *reading, const struct input *input)
{
	int counter = input_counter(input, reading->counter);

	if (counter < 0)
		status_line("no spool given has a counter %s", reading->counter);
	return counter;
}

size_t input_options_outer(const struct input_options *reading)
{
	bool threads = reading->by == REPORT_BY_THREAD || reading->by == REPORT_BY_LABEL ||
		       reading->threads_label || reading->threads != SETTINGS_THREADS_MERGE;
	bool processes = reading->by == REPORT_BY_PROCESS;

	return threads || processes ? 1 + (size_t)threads + processes : 0;
}

void input_options_order(const struct input_options *reading, struct frame_tree *tree)
{
	if (reading->sort != INPUT_OPTIONS_SORT_NONE)
		frame_tree_sort_by(tree, reading->sort == INPUT_OPTIONS_SORT_TOTAL);
}

int input_options_rows(const char *text, void *field, char *line, size_t bytes)
{
	if (options_number(text, 0, 1000000, field))
		return 0;
	return refuse(line, bytes, -EINVAL, "--rows %s is not a number from 0 (all) to 1000000",
		      text);
}

unsigned input_options_columns(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return COLUMNS_DEFAULT;
	return size.ws_col;
}

bool input_options_utf8(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *locale = env_get(environ, names[i]);

		if (locale && *locale)
			return strcasestr(locale, "utf-8") || strcasestr(locale, "utf8");
	}
	return false;
}
