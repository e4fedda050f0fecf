/* The options of diff, and its manual. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "runtime/command/base/status_line.h"
#include "runtime/command/options/arguments.h"
#include "runtime/command/verbs/diff.h"
#include "runtime/profile/base/grow.h"

static int add_path(struct diff_side *side, const char *path, char *line, size_t bytes)
{
	if (!grow(&side->path, side->count, sizeof(*side->path)))
		return refuse(line, bytes, -ENOMEM, "%s", strerror(ENOMEM));
	side->path[side->count++] = (char *)path;
	return 0;
}

static int take_before(const char *text, void *field, char *line, size_t bytes)
{
	struct diff *diff = field;

	diff->named = &diff->side[RUNS_BEFORE];
	return add_path(diff->named, text, line, bytes);
}

static int take_after(const char *text, void *field, char *line, size_t bytes)
{
	struct diff *diff = field;

	diff->named = &diff->side[RUNS_AFTER];
	return add_path(diff->named, text, line, bytes);
}

static int take_operand(const char *text, void *field, char *line, size_t bytes)
{
	struct diff *diff = field;

	return add_path(diff->named ? diff->named : &diff->loose, text, line, bytes);
}

static const struct manual_option diff_options[] = {
	{ "before", 0, "FILE", MANUAL_PROFILE, take_before, 0,
	  "this file and those that follow are runs before the change" },
	{ "after", 0, "FILE", MANUAL_PROFILE, take_after, 0, "likewise runs after it" },
	{ "pairs", 0, NULL, NULL, options_flag, offsetof(struct diff, pairs),
	  "the first run before and the first one after were made side by side, and so on" },
	{ "before-from", 0, "TIME", NULL, input_options_from, offsetof(struct diff, window.from),
	  "like --from, for the side before; with this or the next, --from, --to and --last apply "
	  "to the side after alone, and without both to each" },
	{ "before-to", 0, "TIME", NULL, input_options_to, offsetof(struct diff, window.to),
	  "like --to, for the side before" },
	{ "rows", 'n', "N", NULL, input_options_rows, offsetof(struct diff, rows),
	  "rows in each table; 0 is all (default 20)" },
	{ 0 },
};

const struct manual manual_diff = {
	.name = "diff",
	.synopsis = { "diff [OPTION...] BEFORE AFTER",
		      "diff [OPTION...] --before FILE... --after FILE..." },
	.summary = "show what changed between two profiles, or two sides of runs",
	.text = "Compares profiles: spools, folded files or PIDs. Tables tell how much the whole "
		"changed, and which functions changed significantly, themselves or with all that they "
		"call: their values before and after, the change, and its interval. Interrupts, "
		"preemption and sampling itself have a row of their own and take no part. Where "
		"the command, a library or a copy that the compiler made of a function has "
		"another name in each, the two are compared as one. A flame graph shows what grew "
		"in red, and what shrank in blue.\n\n"
		"Runs of the same program differ, so take several a side: --before and --after. A "
		"folded file is a run; so are the spools that one run left. With one run a side, "
		"only chance in sampling is considered, and a mark says less. flametrap ab makes "
		"the runs, in turns. Where runs differ much in all functions alike, these are "
		"compared normalized, and a line says so.\n\n"
		"Of spools their events are compared (nanoseconds, page faults), unless --weight "
		"says samples, and wall time, CPU time and counts too. A folded file does not say "
		"what its numbers count: they are taken for samples unless --unit names something "
		"else (--unit ns for off-cpu), and then only the variation between runs counts.\n\n"
		"The picture of x.folded is x.diff.svg unless -o names another; -o x.html writes a "
		"page with all of the answer. With --json and --markdown there is one only with "
		"-o. The tables go to standard output, unless the picture does.",
	.options = { diff_options, manual_comparing, manual_picture, manual_reading },
	.least = 2,
	.most = 2,
	.operands = MANUAL_PROFILE,
	.operand = take_operand,
	.status = "0; 1 if a limit of --fail-above is exceeded; 2 for wrong usage, or if a file "
		  "cannot be read or written, as of diff(1).",
	.examples = {
		{ "flametrap diff before.folded after.folded", "The tables, and after.diff.svg" },
		{ "flametrap diff --rows 5 --all before.folded after.folded",
		  "The five largest changes, significant or not" },
		{ "flametrap diff -o - before.folded after.folded",
		  "Only the picture, on standard output" },
		{ "flametrap diff --tidy --markdown app.spool app.spool",
		  "Spools, as Markdown for a pull request" },
		{ "flametrap diff --fail-above 3% --before before.folded --after after.folded",
		  "Exit status 1 if the program significantly takes 3 % more" },
	},
};

/* Without --before and --after, the two operands are the two sides. */
static int divide(struct diff *diff)
{
	struct diff_side *loose = &diff->loose;
	char line[256];

	if (!diff->named) {
		if (arguments_check_count(&manual_diff, loose->count))
			return -EINVAL;
		for (int side = 0; side < 2; side++)
			if (add_path(&diff->side[side], loose->path[side], line, sizeof(line)))
				return fail(-ENOMEM, "%s", line);
		return 0;
	}
	if (loose->count)
		return fail(-EINVAL,
			    "%s stands before --before and --after: name its side in front of it",
			    loose->path[0]);
	for (int side = 0; side < 2; side++)
		if (!diff->side[side].count)
			return fail(-EINVAL, "--%s is missing: name the files of both sides",
				    side ? "after" : "before");
	return 0;
}

static int check(struct diff *diff)
{
	char line[256];

	if (divide(diff))
		return -EINVAL;
	for (int side = 0; side < 2; side++)
		if (picture_check_output(&diff->choice, diff->side[side].path,
					 diff->side[side].count))
			return -EINVAL;
	if (comparing_check(&diff->comparing, line, sizeof(line)))
		return fail(-EINVAL, "%s", line);
	if ((diff->comparing.json || diff->comparing.markdown) && diff->choice.output &&
	    !strcmp(diff->choice.output, "-"))
		return fail(-EINVAL,
			    "-o - writes the picture to standard output, where %s is written",
			    diff->comparing.json ? "JSON" : "Markdown");
	return 0;
}

int diff_options_read(struct diff *diff, int argc, char **argv, int *status)
{
	int first = arguments_read(&manual_diff, argc, argv,
				   ARGUMENTS(diff, &diff->comparing, &diff->choice,
					     &diff->choice.reading),
				   status);

	return first < 0 ? first : check(diff);
}
